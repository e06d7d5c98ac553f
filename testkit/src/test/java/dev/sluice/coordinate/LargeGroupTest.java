package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.GroupStage.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What keeps the store from being asked by everybody at once. */
class LargeGroupTest {
    /** A partition that waits for its turn goes on with its owner, so its own pause is not longer. */
    @Test
    void theMovesOfALargeReassignmentAreSpreadOverTime() {
        GroupStage.play(200, stage -> {
            Member a = stage.member("a");
            stage.settle();
            assertThat(a.held()).hasSize(200);
            a.told.clear();
            Member b = stage.member("b");
            stage.run(Duration.ofMillis(125));
            List<String> asked = List.copyOf(a.told);
            assertThat(asked).hasSizeBetween(20, 80).allMatch(call -> call.startsWith("revoking"));
            assertThat(a.held().size() + b.held().size()).isGreaterThan(195);
            stage.run(Duration.ofMillis(400));
            assertThat(a.held()).hasSize(100);
            assertThat(b.held()).hasSize(100);
        });
    }

    @Test
    void aPartitionThatIsWantedAgainBeforeItsTurnIsNotGivenUp() {
        GroupStage.play(200, stage -> {
            Member a = stage.member("a");
            stage.settle();
            a.told.clear();
            Member b = stage.member("b");
            stage.run(Duration.ofMillis(125));
            b.leave();
            stage.settle();
            assertThat(a.held()).hasSize(200);
            long revoked =
                    a.told.stream().filter(call -> call.startsWith("revoking")).count();
            assertThat(revoked).isBetween(1L, 80L);
            assertThat(a.told).noneMatch(call -> call.startsWith("lost"));
        });
    }

    /** A saved position of another partition is no reason to look. */
    @Test
    void aChangedClaimWakesOnlyTheSlotThatWaitsForIt() {
        GroupStage.play(300, stage -> {
            List<Member> owners = List.of(stage.member("a"), stage.member("c"));
            stage.settle();
            List<Claim> kept = new ArrayList<>();
            owners.forEach(owner -> owner.onRevoking = claim -> {
                kept.add(claim);
                owner.node.sleep(Duration.ofSeconds(2), "drains");
            });
            Member b = stage.member("b");
            stage.run(Duration.ofMillis(1_500));
            assertThat(b.held()).isEmpty();
            List<String> looks = new ArrayList<>();
            b.store.before(what -> {
                if (what.startsWith("get " + stage.keys.claims(1))) {
                    looks.add(what);
                }
            });
            Claim saved = kept.get(0);
            assertThat(saved.save("1")).isTrue();
            stage.run(Duration.ofMillis(20));
            assertThat(looks).containsExactly("get " + stage.keys.claim(1, saved.partition()));
        });
    }

    @Test
    void aMemberThatJoinsWakesTheLeaderOnly() {
        GroupStage.play(4, stage -> {
            Member leader = stage.member("a");
            stage.settle();
            Member follower = stage.member("b");
            stage.settle();
            assertThat(leader.group.status().leads()).isTrue();
            stage.store.put(stage.keys.member("x"), new byte[0], CoordinationStore.ABSENT);
            follower.store.calls().clear();
            leader.store.calls().clear();
            stage.store.openLease(stage.keys.member("x"), "x-1", Duration.ofMinutes(1));
            stage.run(Duration.ofMillis(5));
            assertThat(follower.store.calls()).isEmpty();
            assertThat(leader.store.calls()).isNotEmpty();
        });
    }

    @Test
    void anAssignmentThatDoesNotConcernAMemberCostsItOneRead() {
        GroupStage.play(4, stage -> {
            Member leader = stage.member("a");
            stage.settle();
            Member follower = stage.member("b");
            stage.settle();
            assertThat(leader.group.status().leads()).isTrue();
            follower.store.calls().clear();
            Entry before = stage.store.get(stage.keys.assignment()).orElseThrow();
            stage.store.put(before.key(), before.value(), before.revision());
            stage.run(Duration.ofMillis(5));
            assertThat(follower.store.calls()).containsOnlyKeys("get").containsEntry("get", 1L);
        });
    }
}
