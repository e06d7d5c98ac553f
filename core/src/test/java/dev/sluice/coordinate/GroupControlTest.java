package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Somebody outside of a group sees it and changes its partitions, whether members live or not. */
class GroupControlTest {
    private static final PartitionUser NOTHING = new PartitionUser() {
        @Override
        public void assigned(Claim claim) {}

        @Override
        public void revoking(Claim claim) {}

        @Override
        public void lost(Claim claim) {}
    };

    private final InMemoryCoordinationStore store = new InMemoryCoordinationStore();
    private final GroupControl control = new GroupControl(store, "test/control");

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aGroupThatWasNeverLedBeginsWithTheNumberDecidedBefore() {
        assertThat(control.look()).isEmpty();
        control.changePartitions(1);
        try (Group group = start("a", 6)) {
            GroupControl.View view = await(it -> it.owners().size() == 1);
            assertThat(view.partitions()).isEqualTo(1);
            assertThat(view.members()).containsExactly("a");
            assertThat(view.owners()).containsEntry(0, "a");
            assertThat(group.status().partitions()).isEqualTo(1);
        }
        assertThat(control.members()).isEmpty();
    }

    @Test
    void aChangeNobodyCarriesOutYetGetsAnotherEndAndTheNextMemberCarriesThatOut() {
        control.changePartitions(2);
        control.changePartitions(4);
        control.changePartitions(3);
        assertThat(control.look()).hasValueSatisfying(view -> {
            assertThat(view.changing()).isTrue();
            assertThat(view.partitions()).isEqualTo(3);
            assertThat(view.generation()).isEqualTo(2);
        });
        try (Group group = start("a", 9)) {
            GroupControl.View view = await(it -> !it.changing() && it.owners().size() == 3);
            assertThat(view.generation()).isEqualTo(2);
            assertThat(group.status().generation()).isEqualTo(2);
        }
    }

    @Test
    void aGroupGrowsInPlaceAndNeverShrinks() {
        assertThat(control.grow(2)).isEqualTo(2);
        assertThat(control.grow(2)).isEqualTo(2);
        assertThat(control.grow(1)).isEqualTo(2);
        assertThat(control.grow(5)).isEqualTo(5);
        assertThat(control.look()).hasValueSatisfying(view -> {
            assertThat(view.generation()).isEqualTo(1);
            assertThat(view.partitions()).isEqualTo(5);
            assertThat(view.changing()).isFalse();
        });
        assertThatThrownBy(() -> control.grow(0)).isInstanceOf(InvalidInputException.class);
        control.changePartitions(7);
        assertThat(control.grow(7)).as("it will have as many").isEqualTo(7);
        assertThatThrownBy(() -> control.grow(8))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("being changed to 7");
    }

    /** Partitions that were drained begin at the lowest old position; nobody has ever worked on one that is new. */
    @Test
    void aGrownPartitionHasNoPositionWhereTheOthersBeganAtOne() {
        Checkpoints positions = new Checkpoints(store, "test/control");
        assertThat(positions.begin(3, 2, "17")).isTrue();
        control.grow(3);
        control.grow(4);
        assertThat(positions.list()).extracting(PartitionCheckpoint::position).containsExactly("17", "17", "", "");
        assertThat(positions.save(3, positions.load(3).orElseThrow().token(), "5"))
                .isTrue();
        assertThat(positions.delete(3, positions.load(3).orElseThrow().token())).isTrue();
        assertThat(positions.load(3).orElseThrow().position()).isEmpty();
        control.changePartitions(1);
        assertThat(positions.list()).extracting(PartitionCheckpoint::position).containsExactly("17", "17", "", "");
    }

    @Test
    void ofManyThatGrowAGroupTheLargestNumberStays() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int n = 1; n <= 8; n++) {
            int partitions = n;
            threads.add(Thread.ofVirtual().start(() -> control.grow(partitions)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(control.look().orElseThrow().partitions()).isEqualTo(8);
    }

    @Test
    void storedClaimsTellWhichIncarnationsAreStillNamed() {
        assertThat(control.claims().claims()).isEmpty();
        String dead;
        try (Group group = start("a", 2)) {
            await(it -> it.owners().size() == 2);
            StoredClaims claims = control.claims();
            dead = claims.live().get("a");
            assertThat(claims.claims()).containsOnlyKeys(0, 1).allSatisfy((partition, claim) -> {
                assertThat(claim.owner()).isEqualTo("a");
                assertThat(claim.incarnation()).isEqualTo(dead);
                assertThat(claim.token()).isEqualTo(new FencingToken(1, 1));
                assertThat(claim.live()).isTrue();
            });
            assertThat(claims.isNamed(dead)).isTrue();
            assertThat(claims.isNamed("another")).isFalse();
            assertThat(group.claims().get(0).save("8")).isTrue();
        }
        StoredClaims released = control.claims();
        assertThat(released.live()).isEmpty();
        assertThat(released.isNamed(dead)).isFalse();
        assertThat(released.claims().get(0).position()).isEqualTo("8");
        assertThat(released.claims().get(0).live()).isFalse();
    }

    @Test
    void aClaimOfADeadMemberNamesItUntilAnotherTakesIt() {
        control.changePartitions(1);
        ClaimRecord claim = new ClaimRecord("gone", "gone-1", new FencingToken(1, 4), "3", false);
        store.put("test/control/claims/1/0", claim.toBytes(), CoordinationStore.ABSENT);
        StoredClaims claims = control.claims();
        assertThat(claims.isNamed("gone-1")).isTrue();
        assertThat(claims.claims().get(0).live()).isFalse();
    }

    private Group start(String id, int partitions) {
        return Group.start(
                store,
                GroupSettings.of("test/control", MemberIds.fixed(id), partitions)
                        .withLease(Duration.ofSeconds(2))
                        .withStabiliser(StabiliserSettings.IMMEDIATE)
                        .withLower((one, other) -> one),
                NOTHING);
    }

    private GroupControl.View await(Predicate<GroupControl.View> reached) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (System.nanoTime() - end < 0) {
            if (control.look().filter(reached).isPresent()) {
                return control.look().orElseThrow();
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
        throw new AssertionError("not reached: " + control.look());
    }
}
