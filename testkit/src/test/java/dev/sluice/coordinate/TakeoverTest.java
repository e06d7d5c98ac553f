package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.GroupStage.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Who is asked for the position of a partition whose owner died, and what follows from the answer. */
class TakeoverTest {
    @Test
    void aDeadOwnersPartitionGoesOnWhereTheTakeoverSays() {
        GroupStage.play(2, stage -> {
            List<String> asked = new ArrayList<>();
            Member a = stage.member("a");
            stage.settle();
            Member b = member(stage, "b", (partition, owner, incarnation, token, claimed) -> {
                asked.add(partition + " of " + owner + '/' + incarnation + " under " + token + " at " + claimed);
                return claimed + "-and-on";
            });
            stage.settle();
            Claim dead = a.group.claims().get(0);
            assertThat(dead.save("5")).isTrue();
            a.node.crash();
            stage.settle();
            assertThat(b.claims.get(dead.partition()).position()).isEqualTo("5-and-on");
            assertThat(b.claims.get(dead.partition()).token())
                    .isEqualTo(dead.token().nextEpoch());
            assertThat(stage.claim(1, dead.partition()).position()).isEqualTo("5-and-on");
            assertThat(asked)
                    .containsExactly(
                            dead.partition() + " of a/" + dead.incarnation() + " under " + dead.token() + " at 5");
        });
    }

    @Test
    void aReleasedClaimIsTakenWithItsOwnPosition() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            a.claims.values().forEach(claim -> claim.report("7"));
            Member b = member(stage, "b", (partition, owner, incarnation, token, claimed) -> {
                throw new AssertionError("nobody died");
            });
            stage.settle();
            a.leave();
            stage.settle();
            assertThat(b.group.claims())
                    .hasSize(2)
                    .allSatisfy(claim -> assertThat(claim.position()).isEqualTo("7"));
        });
    }

    @Test
    void whileThePositionCannotBeReadThePartitionHasNoOwner() {
        assertHeldUpBy(new StoreUnavailableException("the cursors are away"));
    }

    @Test
    void aTakeoverThatFailsTakesNothing() {
        assertHeldUpBy(new IllegalStateException("no cursor is like this"));
        assertHeldUpBy(new NoClassDefFoundError("not deployed"));
    }

    private static void assertHeldUpBy(Throwable failure) {
        GroupStage.play(1, stage -> {
            AtomicBoolean fails = new AtomicBoolean(true);
            int[] calls = new int[1];
            Member a = stage.member("a");
            stage.settle();
            Claim dead = a.group.claims().get(0);
            assertThat(dead.save("5")).isTrue();
            Member b = member(stage, "b", (partition, owner, incarnation, token, claimed) -> {
                calls[0]++;
                if (fails.get()) {
                    throw TakeoverTest.<RuntimeException>unchecked(failure);
                }
                return "6";
            });
            stage.run(Duration.ofSeconds(1));
            a.node.crash();
            stage.settle();
            assertThat(b.held()).isEmpty();
            assertThat(stage.claim(1, 0).incarnation()).isEqualTo(dead.incarnation());
            assertThat(calls[0]).as("asked again, but not all the time").isBetween(3, 40);
            fails.set(false);
            stage.run(Duration.ofSeconds(3));
            assertThat(b.group.claims())
                    .singleElement()
                    .satisfies(claim -> assertThat(claim.position()).isEqualTo("6"));
        });
    }

    /** The claim then names the very incarnation that does not know of it. */
    @Test
    void aClaimWhoseAnswerWasLostIsAskedForOnceMore() {
        GroupStage.play(1, stage -> {
            List<String> asked = new ArrayList<>();
            Member a = stage.member("a");
            stage.settle();
            Member b = member(stage, "b", (partition, owner, incarnation, token, claimed) -> {
                asked.add(owner + " at " + claimed);
                return owner.equals("a") ? "from-a" : claimed;
            });
            AtomicBoolean lost = new AtomicBoolean();
            b.store.after(what -> {
                if (what.startsWith("put " + stage.keys.claims(1)) && !lost.getAndSet(true)) {
                    throw new StoreUnavailableException("the answer is lost");
                }
            });
            stage.run(Duration.ofSeconds(1));
            a.node.crash();
            stage.settle();
            assertThat(lost).isTrue();
            assertThat(asked).containsExactly("a at ", "b at from-a");
            assertThat(b.group.claims())
                    .singleElement()
                    .satisfies(claim -> assertThat(claim.position()).isEqualTo("from-a"));
        });
    }

    /** Or everything since the claim would be repeated: its user saves elsewhere. */
    @Test
    void aPartitionWhoseCareFailedIsGivenBackWhereTheTakeoverSays() {
        GroupStage.play(1, stage -> {
            List<String> asked = new ArrayList<>();
            AtomicBoolean away = new AtomicBoolean(true);
            Member a = member(stage, "a", (partition, owner, incarnation, token, claimed) -> {
                asked.add(owner + '/' + incarnation + " under " + token + " at " + claimed);
                if (away.getAndSet(false)) {
                    throw new StoreUnavailableException("the cursors are away");
                }
                return "kept-elsewhere";
            });
            stage.settle();
            Claim failed = a.group.claims().get(0);
            AtomicBoolean bug = new AtomicBoolean(true);
            a.store.before(what -> {
                if (what.startsWith("put ") && what.contains("/claims/") && bug.getAndSet(false)) {
                    throw new IllegalStateException("a bug");
                }
            });
            failed.report("the cause, perhaps");
            stage.simulation.run(Duration.ofSeconds(30));
            String life = "a/" + failed.incarnation() + " under " + failed.token() + " at ";
            assertThat(asked).containsExactly(life, life);
            assertThat(a.group.claims()).singleElement().satisfies(claim -> {
                assertThat(claim.position()).isEqualTo("kept-elsewhere");
                assertThat(claim.token()).isEqualTo(failed.token().nextEpoch());
            });
        });
    }

    private static Member member(GroupStage stage, String id, Takeover takeover) {
        return stage.member(id, MemberIds.fixed(id), settings -> settings.withTakeover(takeover));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException unchecked(Throwable failure) throws T {
        throw (T) failure;
    }
}
