package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import java.time.Duration;
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
