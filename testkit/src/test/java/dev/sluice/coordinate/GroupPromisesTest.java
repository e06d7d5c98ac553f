package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.GroupStage.Member;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.audit.AuditTrail;
import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.simulation.NodeClockwork;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One promise, one schedule each. Whether they hold in every schedule is for {@link CoordinationSimulationTest}. */
class GroupPromisesTest {

    @Test
    void whileTheStoreIsAwayEverythingIsKeptUntilTheDeadlineThenLostAndTakenAgainAlone() {
        GroupStage.play(4, stage -> {
            Member a = stage.member("a");
            Member b = stage.member("b");
            stage.settle();
            assertThat(a.held()).hasSize(2);
            Claim before = a.group.claims().get(0);
            assertThat(before.save("5")).isTrue();
            stage.away(true);
            stage.run(Duration.ofMillis(4_500));
            assertThat(a.held()).hasSize(2);
            assertThat(a.group.status().isHealthy()).isFalse();
            assertThat(a.group.status().sentence()).contains("keeps its 2 partitions until its deadline");
            stage.run(Duration.ofMillis(3_600));
            assertThat(a.held()).isEmpty();
            assertThat(b.held()).isEmpty();
            assertThat(before.isHeld()).isFalse();
            assertThat(a.told).filteredOn(call -> call.startsWith("lost")).hasSize(2);
            stage.run(Duration.ofMinutes(5));
            assertThat(a.held()).isEmpty();
            stage.away(false);
            stage.run(Duration.ofSeconds(3));
            assertThat(a.held().size() + b.held().size()).isEqualTo(4);
            assertThat(a.group.status().isHealthy()).isTrue();
            ClaimRecord after = stage.claim(1, before.partition());
            assertThat(before.token().isOlderThan(after.token())).isTrue();
            assertThat(after.position()).isEqualTo("5");
        });
    }

    @Test
    void aZombiePausedLongerThanItsLeaseNeverWrites() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            Member b = stage.member("b");
            stage.settle();
            Claim zombies = a.group.claims().get(0);
            assertThat(zombies.save("1")).isTrue();
            a.node.pause();
            stage.run(GroupStage.LEASE.plusSeconds(2));
            assertThat(b.held()).as("takeover within the lease and two seconds").hasSize(2);
            b.claims.get(zombies.partition()).save("2");
            assertThat(zombies.isHeld()).isFalse();
            assertThat(zombies.save("zombie")).isFalse();
            assertThat(zombies.write(Claim.Write.SAVE)).isFalse();
            a.node.resume();
            stage.settle();
            assertThat(stage.claim(1, zombies.partition()).position()).isEqualTo("2");
            assertThat(a.told).contains("lost " + zombies.partition());
            assertThat(a.group.counters().deaths()).isEqualTo(1);
            assertThat(a.held()).as("it is a member again").hasSize(1);
        });
    }

    @Test
    void aHandoffPassesTheFinalPositionAndFencesTheDonor() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            List<Claim> before = new ArrayList<>(a.group.claims());
            before.forEach(claim -> claim.report("10"));
            a.onRevoking = claim -> {
                assertThat(claim.isHeld()).as("held until it has stopped").isTrue();
                claim.report("11");
            };
            Member b = stage.member("b");
            stage.run(Duration.ofSeconds(1));
            Claim moved = b.group.claims().get(0);
            assertThat(moved.position()).isEqualTo("11");
            Claim donors = before.stream()
                    .filter(claim -> claim.partition() == moved.partition())
                    .findFirst()
                    .orElseThrow();
            assertThat(donors.save("12")).isFalse();
            assertThat(moved.token()).isEqualTo(donors.token().nextEpoch());
            assertThat(a.group.counters().losses()).isZero();
        });
    }

    @Test
    void aUserThatDoesNotStopDelaysOnlyItsOwnPartitionAndOnlyForAWhile() {
        GroupStage.play(4, stage -> {
            Member a = stage.member("a");
            stage.settle();
            List<Integer> asked = new ArrayList<>();
            a.onRevoking = claim -> {
                asked.add(claim.partition());
                if (asked.size() == 1) {
                    claim.report("last");
                    a.node.sleep(Duration.ofHours(1), "deaf");
                }
            };
            Member b = stage.member("b");
            stage.run(Duration.ofSeconds(2));
            assertThat(b.held()).containsExactlyElementsOf(asked.subList(1, 2));
            stage.run(GroupStage.HANDOFF);
            assertThat(b.held()).hasSize(2);
            assertThat(b.claims.get(asked.get(0)).position()).isEqualTo("last");
            assertThat(a.group.counters().forcedHandoffs()).isEqualTo(1);
            stage.run(Duration.ofMinutes(1));
            assertThat(a.group.counters().deaths()).isZero();
        });
    }

    @Test
    void aLeaderThatWasReplacedWritesNothingMore() {
        GroupStage.play(3, stage -> {
            Member a = stage.member("a");
            stage.run(Duration.ofSeconds(5));
            Member b = stage.member("b");
            stage.settle();
            assertThat(a.group.status().leads()).isTrue();
            a.node.pause();
            stage.run(GroupStage.LEASE.plusSeconds(2));
            assertThat(b.group.status().leads()).isTrue();
            Entry newer = stage.store.get(stage.keys.assignment()).orElseThrow();
            a.node.resume();
            stage.member("c");
            stage.settle();
            assertThat(a.group.status().leads()).isFalse();
            assertThat(a.group.status().leader()).isEqualTo("b");
            long epoch = Assignment.of(newer).epoch();
            Assignment last =
                    Assignment.of(stage.store.get(stage.keys.assignment()).orElseThrow());
            assertThat(last.epoch()).isEqualTo(epoch);
            assertThat(last.owners().values()).contains("a", "b", "c");
        });
    }

    @Test
    void anAssignmentUnderAHigherEpochStopsTheDutiesOfAnOldLeader() {
        GroupStage.play(3, stage -> {
            Member a = stage.member("a");
            stage.settle();
            Entry before = stage.store.get(stage.keys.assignment()).orElseThrow();
            Assignment others = Assignment.of(before).underEpoch(99);
            stage.store.put(before.key(), others.toBytes(), before.revision());
            stage.member("b");
            stage.settle();
            assertThat(stage.store.get(stage.keys.assignment()).map(Assignment::of))
                    .contains(others);
            assertThat(a.held()).hasSize(3);
        });
    }

    /** As when the leader's write took effect without an answer, and the member it counted on died meanwhile. */
    @Test
    void aLeaderThatFindsAnotherAssignmentThanItsLastLooksAtTheMembersAnew() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            Entry before = stage.store.get(stage.keys.assignment()).orElseThrow();
            Assignment last = Assignment.of(before);
            Assignment unanswered = new Assignment(last.epoch(), last.generation(), Map.of(0, "dead", 1, "a"));
            stage.store.put(before.key(), unanswered.toBytes(), before.revision());
            stage.run(Duration.ofMinutes(2));
            assertThat(a.held()).hasSize(2);
        });
    }

    @Test
    void stableIdsAreTheLowestFreeAndARestartedProcessGetsItsOwnAgain(@TempDir Path folder) {
        GroupStage.play(3, stage -> {
            Member x = stage.member("x", pool(folder, "x"), settings -> settings);
            stage.run(Duration.ofSeconds(1));
            Member y = stage.member("y", pool(folder, "y"), settings -> settings);
            stage.run(Duration.ofSeconds(1));
            Member z = stage.member("z", pool(folder, "z"), settings -> settings);
            stage.settle();
            assertThat(List.of(id(x), id(y), id(z))).containsExactly("w-0", "w-1", "w-2");
            x.leave();
            stage.run(Duration.ofSeconds(5));
            y.node.crash();
            y.node.restart();
            stage.run(Duration.ofSeconds(5));
            assertThat(id(y)).as("waits for its own id, although w-0 is free").isEmpty();
            stage.settle();
            assertThat(id(y)).isEqualTo("w-1");
            z.node.pause();
            stage.run(GroupStage.LEASE.plusSeconds(1));
            z.node.resume();
            stage.settle();
            assertThat(id(z)).as("another life, the same id").isEqualTo("w-2");
            assertThat(z.group.counters().deaths()).isEqualTo(1);
            Member other = stage.member("other", pool(folder, "other"), settings -> settings);
            stage.settle();
            assertThat(id(other)).isEqualTo("w-0");
        });
    }

    private static MemberIds pool(Path folder, String process) {
        return MemberIds.pool("w-", 8, folder.resolve(process));
    }

    private static String id(Member member) {
        return member.group.status().member();
    }

    @Test
    void aChangeOfTheLayoutDrainsAllAndStartsAtTheLowestPosition() {
        GroupStage.play(3, stage -> {
            Member a = stage.member("a");
            Member b = stage.member("b");
            stage.settle();
            for (Member member : List.of(a, b)) {
                member.claims.values().forEach(claim -> claim.report("5" + claim.partition()));
                member.onRevoking = claim -> claim.report("7" + claim.partition());
            }
            a.node.fiber("operator", () -> a.group.changePartitions(5));
            stage.run(Duration.ofSeconds(3));
            assertThat(a.group.status().generation()).isEqualTo(2);
            assertThat(a.held().size() + b.held().size()).isEqualTo(5);
            assertThat(a.group.claims()).allSatisfy(claim -> {
                assertThat(claim.position()).isEqualTo("70");
                assertThat(claim.token()).isEqualTo(new FencingToken(2, 1));
            });
            assertThat(stage.claim(1, 0).closed()).isTrue();
        });
    }

    @Test
    void aLayoutChangeGoesOnAfterItsLeaderDiedAndFencesTheDead() {
        GroupStage.play(3, stage -> {
            Member a = stage.member("a");
            stage.run(Duration.ofSeconds(5));
            Member b = stage.member("b");
            stage.settle();
            assertThat(a.group.status().leads()).isTrue();
            int dead = a.held().get(0);
            a.claims.get(dead).save("3");
            b.claims.values().forEach(claim -> claim.save("4"));
            a.node.crash();
            b.node.fiber("operator", () -> b.group.changePartitions(2));
            stage.run(Duration.ofSeconds(3));
            assertThat(b.held()).as("the dead owner's lease still lives").isEmpty();
            stage.settle();
            assertThat(b.held()).hasSize(2);
            assertThat(b.group.status().generation()).isEqualTo(2);
            assertThat(stage.claim(1, dead).closed()).isTrue();
        });
    }

    @Test
    void aMemberThatIsNotReadyOwnsNothingUntilItSaysSo() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            Member b = stage.member("b", MemberIds.fixed("b"), GroupSettings::waitingUntilReady);
            stage.settle();
            assertThat(a.held()).hasSize(2);
            assertThat(b.group.status().members()).contains("b");
            b.group.ready();
            stage.settle();
            assertThat(b.held()).hasSize(1);
        });
    }

    @Test
    void aMemberRenewsItsLeaseAtItsOwnBeat() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            Member b = stage.member(
                    "b",
                    MemberIds.fixed("b"),
                    settings -> settings.withBeat(settings.heartbeat().dividedBy(5)));
            stage.settle();
            long usual = a.group.counters().renewals();
            long often = b.group.counters().renewals();
            stage.run(Duration.ofMinutes(5));
            assertThat(b.group.counters().renewals() - often)
                    .isGreaterThan(4 * (a.group.counters().renewals() - usual));
        });
    }

    @Test
    void aMemberThatLeavesHandsOverWhatItHasBeforeItGoes() {
        GroupStage.play(4, stage -> {
            Member a = stage.member("a");
            Member b = stage.member("b");
            stage.settle();
            a.claims.values().forEach(claim -> claim.report("9"));
            a.leave();
            stage.run(Duration.ofSeconds(2));
            assertThat(b.held()).hasSize(4);
            assertThat(b.claims.values())
                    .filteredOn(claim -> claim.position().equals("9"))
                    .hasSize(2);
            assertThat(a.told).noneMatch(call -> call.startsWith("lost"));
            assertThat(stage.store.leases(stage.keys.members())).hasSize(1);
            assertThat(stage.store.get(stage.keys.member("a"))).isEmpty();
            b.leave();
            stage.run(Duration.ofSeconds(2));
            assertThat(stage.store.leases(stage.keys.members())).isEmpty();
            assertThat(stage.claim(1, 0).isFree()).isTrue();
        });
    }

    @Test
    void theRecordOfAMemberThatDiedLongAgoIsRemoved() {
        GroupStage.play(2, stage -> {
            stage.member("a");
            Member b = stage.member("b");
            stage.settle();
            b.node.crash();
            stage.run(Duration.ofMinutes(10));
            assertThat(stage.store.get(stage.keys.member("b"))).isPresent();
            stage.run(Duration.ofMinutes(10));
            assertThat(stage.store.get(stage.keys.member("b"))).isEmpty();
            b.node.restart();
            stage.settle();
            assertThat(stage.store.get(stage.keys.member("b"))).isPresent();
            assertThat(b.held()).hasSize(1);
        });
    }

    @Test
    void aMemberWithoutTheSecretIsNeverAssignedAnything() {
        GroupStage.play(4, stage -> {
            MemberSecret secret = MemberSecret.of("0123456789abcdef");
            Member a = stage.member("a", MemberIds.fixed("a"), settings -> settings.withSecrets(List.of(secret)));
            stage.run(Duration.ofSeconds(3));
            Member stranger = stage.member("stranger");
            stage.settle();
            assertThat(a.held()).hasSize(4);
            assertThat(stranger.held()).isEmpty();
            assertThat(a.group.counters().refusedMembers()).isPositive();
        });
    }

    @Test
    void aUserThatFailsToStartGivesThePartitionBackAndGetsItAgainLater() {
        GroupStage.play(1, stage -> {
            Member a = stage.member("a");
            List<Long> epochs = new ArrayList<>();
            a.onAssigned = claim -> {
                epochs.add(claim.token().epoch());
                if (epochs.size() < 3) {
                    throw new IllegalStateException("not now");
                }
            };
            stage.run(Duration.ofSeconds(4));
            assertThat(epochs).containsExactly(1L);
            assertThat(stage.claim(1, 0).isFree()).isTrue();
            stage.settle();
            assertThat(epochs).containsExactly(1L, 2L, 3L);
            assertThat(a.held()).containsExactly(0);
        });
    }

    @Test
    void aSaveThatIsRefusedThoughNobodyElseWroteCostsNoLifeAndIsTriedAgain() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            Claim claim = a.group.claims().get(0);
            a.store.calls().clear();
            a.store.refuse(key -> key.contains("/claims/"));
            assertThatThrownBy(() -> claim.save("1")).isInstanceOf(StoreUnavailableException.class);
            stage.run(Duration.ofSeconds(8));
            a.store.refuse(key -> false);
            stage.run(Duration.ofSeconds(8));
            assertThat(stage.claim(1, claim.partition()).position()).isEqualTo("1");
            assertThat(a.group.counters().deaths()).isZero();
            assertThat(a.held()).hasSize(2);
            assertThat(a.store.calls())
                    .as("a save does not queue up with the renewal")
                    .doesNotContainKey("put under lease");
        });
    }

    @Test
    void oneWriteOfAClaimIsUnderWayAtATime() {
        GroupStage.play(1, stage -> {
            Member a = stage.member("a");
            stage.settle();
            Claim claim = a.group.claims().get(0);
            int[] writers = new int[2];
            a.store.before(what -> {
                if (what.startsWith("put ") && what.contains("/claims/")) {
                    writers[0]++;
                    writers[1] = Math.max(writers[1], writers[0]);
                    a.node.sleep(Duration.ofMillis(50), "slow store");
                    writers[0]--;
                }
            });
            List<Boolean> saved = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                String position = "" + i;
                a.node.fiber("saves", () -> saved.add(claim.save(position)));
            }
            stage.run(Duration.ofSeconds(2));
            assertThat(writers[1]).isEqualTo(1);
            assertThat(saved).hasSize(5).doesNotContain(false);
        });
    }

    @Test
    void aPositionThatIsTooLongIsRefusedWhereItIsReported() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            Claim claim = a.group.claims().get(0);
            String longest = "\u0001".repeat(Claim.LONGEST_POSITION);
            assertThat(claim.save(longest)).isTrue();
            assertThatThrownBy(() -> claim.report(longest + "x")).isInstanceOf(InvalidInputException.class);
            a.leave();
            Member b = stage.member("b");
            stage.settle();
            assertThat(b.held()).hasSize(2);
            assertThat(b.claims.get(claim.partition()).position()).isEqualTo(longest);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPartitionWhoseCareFailedIsGivenBackWithWhatWasSaved(boolean byAnError) {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            for (Claim claim : a.group.claims()) {
                claim.save("1");
                claim.report("2");
            }
            a.store.before(what -> {
                if (what.startsWith("put ") && what.contains("/claims/")) {
                    if (byAnError) {
                        throw new NoClassDefFoundError("not deployed");
                    }
                    throw new IllegalStateException("a bug");
                }
            });
            stage.simulation.run(Duration.ofSeconds(8));
            assertThat(a.told).filteredOn(call -> call.startsWith("lost")).hasSize(2);
            Member b = stage.member("b");
            stage.simulation.run(Duration.ofSeconds(2));
            assertThat(b.held()).isEmpty();
            a.store.before(what -> {});
            stage.simulation.run(Duration.ofSeconds(15));
            assertThat(a.held()).hasSize(1);
            assertThat(b.held()).hasSize(1);
            assertThat(b.group.claims().get(0).position()).isEqualTo("1");
            assertThat(a.group.counters().deaths()).isZero();
        });
    }

    @Test
    void anErrorOfAUserIsAFailedStartToo() {
        GroupStage.play(1, stage -> {
            Member a = stage.member("a");
            List<Long> epochs = new ArrayList<>();
            a.onAssigned = claim -> {
                epochs.add(claim.token().epoch());
                if (epochs.size() < 2) {
                    throw new NoClassDefFoundError("not deployed yet");
                }
            };
            stage.run(Duration.ofSeconds(4));
            assertThat(stage.claim(1, 0).isFree()).isTrue();
            stage.settle();
            assertThat(epochs).containsExactly(1L, 2L);
            assertThat(a.held()).containsExactly(0);
        });
    }

    @Test
    void anErrorInARoundEndsThatRoundOnly() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            int[] errors = new int[1];
            a.store.before(what -> {
                if (what.equals("leases") && errors[0]++ == 0) {
                    throw new NoClassDefFoundError("for once");
                }
            });
            Member b = stage.member("b");
            stage.simulation.run(GroupStage.LEASE);
            assertThat(errors[0]).isGreaterThan(1);
            assertThat(b.held()).hasSize(1);
        });
    }

    @Test
    void aMemberWhoseRoundsStandStillIsGivenUp() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            Member b = stage.member("b");
            stage.settle();
            assertThat(b.held()).hasSize(1);
            a.store.before(what -> {
                if (what.equals("leases")) {
                    a.node.sleep(Duration.ofHours(1), "stands still");
                }
            });
            stage.simulation.run(GroupStage.LEASE.multipliedBy(9));
            assertThat(a.held()).as("it may be a long round").hasSize(1);
            stage.simulation.run(GroupStage.LEASE.multipliedBy(4));
            assertThat(a.held()).isEmpty();
            assertThat(b.held()).hasSize(2);
        });
    }

    @Test
    void aClaimThatCannotBeReadIsLookedAtNowAndThenUntilItCan() {
        GroupStage.play(1, stage -> {
            String key = stage.keys.claim(1, 0);
            long revision = stage.store
                    .put(key, "?".getBytes(StandardCharsets.UTF_8), CoordinationStore.ABSENT)
                    .orElseThrow();
            Member a = stage.member("a");
            stage.simulation.run(Duration.ofSeconds(3));
            int[] looks = new int[1];
            a.store.before(what -> looks[0] += what.equals("get " + key) ? 1 : 0);
            stage.simulation.run(Duration.ofMinutes(1));
            assertThat(looks[0]).isBetween(5, 15);
            ClaimRecord repaired = ClaimRecord.unclaimed(1, "7");
            stage.store.put(key, repaired.toBytes(), revision);
            stage.simulation.run(Duration.ofSeconds(8));
            assertThat(a.group.claims())
                    .singleElement()
                    .extracting(Claim::position)
                    .isEqualTo("7");
        });
    }

    @Test
    void lostComesWhenAssignedHasReturned() {
        GroupStage.play(1, stage -> {
            Member a = stage.member("a");
            a.onAssigned = claim -> {
                a.store.away(true);
                a.node.sleep(Duration.ofSeconds(15), "starts slowly");
                a.told.add("started, held: " + claim.isHeld());
            };
            stage.settle();
            assertThat(a.told).containsExactly("assigned 0", "started, held: false", "lost 0");
        });
    }

    @Test
    void whatIsLostBeforeTheUserHeardOfItIsNotToldAtAll() {
        GroupStage.play(1, stage -> {
            Member a = stage.member("a");
            stage.settle();
            List<Runnable> started = new ArrayList<>();
            Clockwork clockwork = new NodeClockwork(a.node, 1) {
                @Override
                public void start(String name, Runnable body) {
                    started.add(body);
                }
            };
            a.told.clear();
            UserCalls calls = new UserCalls(
                    a,
                    a.group.claims().get(0),
                    clockwork,
                    new GroupJournal("g", clockwork, new AuditTrail("g", a.node.clock(), 1)),
                    clockwork.signal());
            calls.assigned();
            calls.lost();
            started.forEach(Runnable::run);
            assertThat(a.told).isEmpty();
        });
    }

    @Test
    void theLeaderKnowsHowLongAPartitionHasHadNoOwner() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            a.onAssigned = claim -> {
                throw new IllegalStateException("never");
            };
            a.node.fiber("operator", () -> a.group.changePartitions(1));
            stage.run(Duration.ofSeconds(4));
            assertThat(a.group.status().withoutOwner()).containsOnlyKeys(0);
            assertThat(a.group.status().withoutOwner().get(0)).isGreaterThan(Duration.ofSeconds(1));
            a.onAssigned = claim -> {};
            stage.settle();
            assertThat(a.group.status().withoutOwner()).isEmpty();
        });
    }

    /** 2,000 partitions, 100 members: what a member asks of the store does not depend on the number of partitions. */
    @Test
    void manyPartitionsCostAMemberNoMoreCalls() {
        long start = System.nanoTime();
        GroupStage.play(2_000, stage -> {
            List<Member> members = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                String id = "m" + i;
                members.add(stage.member(
                        id, MemberIds.fixed(id), settings -> settings.withStabiliser(StabiliserSettings.DEFAULT)));
            }
            stage.settle();
            assertThat(members).allSatisfy(member -> assertThat(member.held()).hasSize(20));
            members.forEach(member -> member.store.calls().clear());
            stage.run(Duration.ofSeconds(30));
            Member follower = members.stream()
                    .filter(member -> !member.group.status().leads())
                    .findFirst()
                    .orElseThrow();
            long calls = follower.store.calls().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            print(
                    "a follower's calls in 30 s: %s; took %d ms",
                    follower.store.calls(), (System.nanoTime() - start) / 1_000_000);
            assertThat(follower.store.calls()).doesNotContainKey("list claims");
            assertThat(calls).isLessThan(30 * 6);
        });
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}
