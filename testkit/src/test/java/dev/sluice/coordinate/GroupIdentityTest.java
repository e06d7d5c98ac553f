package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.GroupStage.Member;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.audit.AuditEvent;
import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.coordinate.identity.MemberState;
import dev.sluice.testkit.simulation.NodeClockwork;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What strangers, meddlers and lost answers can do to a group: nothing that lasts. */
class GroupIdentityTest {
    private static final MemberSecret SECRET = MemberSecret.of("0123456789abcdef");
    private static final MemberSecret WRONG = MemberSecret.of("fedcba9876543210");

    private static Member with(GroupStage stage, String id, MemberSecret secret) {
        return stage.member(id, MemberIds.fixed(id), settings -> settings.withSecrets(List.of(secret)));
    }

    @Test
    void aStrangerWithoutSecretThatCameFirstLosesTheLeadAndEverythingItTook() {
        GroupStage.play(4, stage -> {
            Member stranger = stage.member("stranger");
            stage.settle();
            assertThat(stranger.held()).hasSize(4);
            Member a = with(stage, "a", SECRET);
            Member b = with(stage, "b", SECRET);
            stage.settle();
            assertThat(stranger.held()).isEmpty();
            assertThat(a.held().size() + b.held().size()).isEqualTo(4);
            assertThat(stranger.group.status().leads()).isFalse();
        });
    }

    @Test
    void aStrangerWithAnotherSecretThatCameFirstStandsBackBeforeTheMany() {
        GroupStage.play(4, stage -> {
            Member stranger = with(stage, "stranger", WRONG);
            stage.settle();
            assertThat(stranger.held()).hasSize(4);
            Member a = with(stage, "a", SECRET);
            Member b = with(stage, "b", SECRET);
            stage.settle();
            stage.settle();
            assertThat(stranger.held()).isEmpty();
            assertThat(a.held()).hasSize(2);
            assertThat(b.held()).hasSize(2);
            a.store.calls().clear();
            stage.run(Duration.ofSeconds(30));
            assertThat(a.held()).hasSize(2);
            assertThat(a.store.calls().getOrDefault("put under lease", 0L))
                    .as("nobody fights about the lead")
                    .isLessThan(5);
        });
    }

    @Test
    void aSingleStrangerWithAnotherSecretKeepsNothingFromASingleMemberOnceItIsGone() {
        GroupStage.play(4, stage -> {
            Member stranger = with(stage, "stranger", WRONG);
            stage.settle();
            Member a = with(stage, "a", SECRET);
            stage.run(Duration.ofMinutes(1));
            assertThat(a.held().size() + stranger.held().size()).isEqualTo(4);
            a.store.calls().clear();
            stage.run(Duration.ofSeconds(30));
            assertThat(a.store.calls().getOrDefault("put under lease", 0L))
                    .as("the lead goes back and forth, but slowly")
                    .isLessThan(60);
            stranger.node.crash();
            stage.settle();
            assertThat(a.held()).hasSize(4);
        });
    }

    @Test
    void whenTheLeaderDiesAStrangerDoesNotInherit() {
        for (boolean signs : List.of(false, true)) {
            GroupStage.play(6, stage -> {
                Member leader = with(stage, "a", SECRET);
                stage.run(Duration.ofSeconds(5));
                Member b = with(stage, "b", SECRET);
                Member c = with(stage, "c", SECRET);
                Member stranger = signs ? with(stage, "s", WRONG) : stage.member("s");
                stage.settle();
                leader.node.crash();
                stage.settle();
                stage.settle();
                assertThat(stranger.held()).isEmpty();
                assertThat(b.held().size() + c.held().size()).isEqualTo(6);
            });
        }
    }

    @Test
    void aForgedAssignmentIsNotFollowedAndIsReplaced() {
        GroupStage.play(4, stage -> {
            Member a = with(stage, "a", SECRET);
            Member b = with(stage, "b", SECRET);
            stage.settle();
            assertThat(b.held()).hasSize(2);
            Entry before = stage.store.get(stage.keys.assignment()).orElseThrow();
            Assignment genuine = Assignment.of(before);
            Assignment forged =
                    new Assignment(genuine.epoch() + 9, genuine.generation(), Map.of(0, "a", 1, "a", 2, "a", 3, "a"));
            String signature = WRONG.sign(GroupStage.GROUP, forged.toBytes());
            stage.store.put(before.key(), forged.toBytes(signature), before.revision());
            stage.settle();
            assertThat(a.held()).hasSize(2);
            assertThat(b.told).noneMatch(call -> call.startsWith("revoking"));
            Entry after = stage.store.get(stage.keys.assignment()).orElseThrow();
            assertThat(Assignment.of(after)).isEqualTo(genuine);
            assertThat(a.group.counters().refusedAssignments()
                            + b.group.counters().refusedAssignments())
                    .isPositive();
            Member leader = a.group.status().leads() ? a : b;
            assertThat(leader.group.audit())
                    .anyMatch(event -> event.kind() == AuditEvent.Kind.REFUSED
                            && event.detail().contains("assignment"));
        });
    }

    @Test
    void aMemberWhoseRecordIsDeletedOrOverwrittenWritesItAgain() {
        GroupStage.play(2, stage -> {
            stage.member("a");
            Member b = stage.member("b");
            stage.settle();
            String key = stage.keys.member("b");
            stage.store.delete(key, stage.store.get(key).orElseThrow().revision());
            stage.run(Duration.ofSeconds(2));
            assertThat(stage.store.get(key)).isPresent();
            stage.store.put(
                    key, new byte[] {'x'}, stage.store.get(key).orElseThrow().revision());
            stage.settle();
            assertThat(stage.store.get(key).orElseThrow().text()).contains("\"b\"");
            assertThat(b.held()).hasSize(1);
        });
    }

    @Test
    void whoGoesTooLateDoesNotRemoveTheRecordOfItsSuccessor() {
        GroupStage.play(1, stage -> {
            stage.member("other");
            GroupSettings settings = GroupSettings.of(GroupStage.GROUP, MemberIds.fixed("m"), 1);
            Registration first = new Registration(stage.store, settings);
            Registration second = new Registration(stage.store, settings);
            Incarnation old = incarnation(stage, "i1");
            first.publish(old, MemberState.LEAVING);
            stage.run(GroupStage.LEASE.plusSeconds(1));
            second.publish(incarnation(stage, "i2"), MemberState.READY);
            first.remove(old);
            assertThat(stage.store.get(stage.keys.member("m")).orElseThrow().text())
                    .contains("\"i2\"");
        });
    }

    private static Incarnation incarnation(GroupStage stage, String name) {
        Lease lease = stage.store
                .openLease(stage.keys.member("m"), name, GroupStage.LEASE)
                .orElseThrow();
        Clockwork clockwork = new NodeClockwork(stage.simulation.node("node-" + name, node -> {}), 1);
        return new Incarnation("m", name, lease, clockwork, GroupStage.LEASE, clockwork.nanos());
    }

    @Test
    void aDeletedLeaderDoesNotSendTheEpochBack() {
        GroupStage.play(4, stage -> {
            stage.member("a");
            stage.settle();
            Entry before = stage.store.get(stage.keys.assignment()).orElseThrow();
            stage.store.put(before.key(), Assignment.of(before).underEpoch(57).toBytes(), before.revision());
            String key = stage.keys.leader();
            stage.store.delete(key, stage.store.get(key).orElseThrow().revision());
            Member b = stage.member("b");
            stage.settle();
            assertThat(b.held()).hasSize(2);
            assertThat(stage.store.get(stage.keys.assignment()).map(Assignment::of))
                    .hasValueSatisfying(now -> assertThat(now.epoch()).isGreaterThan(57));
        });
    }

    @Test
    void aLeaderThatCannotComparePositionsGivesTheLeadUpWhileTheLayoutChanges() {
        GroupStage.play(3, stage -> {
            Member a = stage.member("a", MemberIds.fixed("a"), GroupIdentityTest::withoutOrder);
            stage.run(Duration.ofSeconds(5));
            assertThat(a.group.status().leads()).isTrue();
            Member b = stage.member("b");
            stage.settle();
            b.node.fiber("operator", () -> b.group.changePartitions(5));
            stage.settle();
            assertThat(a.group.status().isHealthy()).isTrue();
            assertThat(b.group.status().generation()).isEqualTo(2);
            assertThat(a.held().size() + b.held().size()).isEqualTo(5);
        });
    }

    private static GroupSettings withoutOrder(GroupSettings settings) {
        return GroupSettings.of(settings.group(), settings.ids(), settings.partitions())
                .withLease(settings.lease())
                .withHandoffTimeout(settings.handoffTimeout())
                .withStabiliser(StabiliserSettings.IMMEDIATE);
    }

    /** Each takes a fifth of the lease; the server's clients wait less long, an eighth. */
    @Test
    void twoRenewalsInARowMayTimeOutAndNothingIsLost() {
        GroupStage.play(1, stage -> {
            Member a = stage.member("a");
            int[] renewals = {0};
            a.store.before(call -> {
                if (call.equals("renew") && ++renewals[0] % 3 != 0) {
                    a.node.sleep(GroupStage.LEASE.dividedBy(5), "no answer");
                    throw new StoreUnavailableException("no answer");
                }
            });
            stage.run(Duration.ofMinutes(2));
            assertThat(renewals[0]).isGreaterThan(20);
            assertThat(a.group.counters().deaths()).isZero();
            assertThat(a.held()).containsExactly(0);
        });
    }
}
