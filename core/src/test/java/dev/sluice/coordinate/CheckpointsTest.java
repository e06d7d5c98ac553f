package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CheckpointsTest {
    private static final String GROUP = "test/group";

    private final AtomicLong nanos = new AtomicLong();
    private final InMemoryCoordinationStore store = new InMemoryCoordinationStore(nanos::get);
    private final GroupKeys keys = new GroupKeys(GROUP);
    private final Checkpoints checkpoints = new Checkpoints(store, GROUP);

    @BeforeEach
    void aGroupOfThreePartitions() {
        store.put(keys.layout(), Layout.first(3).toBytes(), CoordinationStore.ABSENT);
        claim(0, new ClaimRecord("", "", new FencingToken(1, 4), "released", false));
        claim(1, new ClaimRecord("a", "a1", new FencingToken(1, 7), "owned", false));
    }

    private void claim(int partition, ClaimRecord record) {
        store.put(keys.claim(1, partition), record.toBytes(), CoordinationStore.ABSENT);
    }

    @Test
    void listsEveryPartitionAlsoThoseNobodyEverTook() {
        assertThat(checkpoints.list())
                .containsExactly(
                        new PartitionCheckpoint(0, new FencingToken(1, 4), "released", ""),
                        new PartitionCheckpoint(1, new FencingToken(1, 7), "owned", "a"),
                        new PartitionCheckpoint(2, new FencingToken(1, 0), "", ""));
        assertThat(checkpoints.load(1))
                .hasValueSatisfying(one -> assertThat(one.position()).isEqualTo("owned"));
        assertThat(checkpoints.load(3)).isEmpty();
    }

    @Test
    void aChangeNeedsTheTokenAndRaisesTheEpoch() {
        assertThat(checkpoints.save(0, new FencingToken(1, 3), "other")).isFalse();
        assertThat(checkpoints.save(0, new FencingToken(1, 4), "other")).isTrue();
        assertThat(checkpoints.load(0)).contains(new PartitionCheckpoint(0, new FencingToken(1, 5), "other", ""));
        assertThat(checkpoints.delete(0, new FencingToken(1, 5))).isTrue();
        assertThat(checkpoints.load(0)).contains(new PartitionCheckpoint(0, new FencingToken(1, 6), "", ""));
        assertThat(checkpoints.save(3, new FencingToken(1, 0), "beyond")).isFalse();
    }

    @Test
    void aClosedClaimIsNotReopened() {
        claim(2, new ClaimRecord("", "", new FencingToken(1, 2), "9", true));
        assertThat(checkpoints.save(2, new FencingToken(1, 2), "other")).isFalse();
        assertThat(checkpoints.importAll(checkpoints.export())).containsExactly(2);
    }

    @Test
    void aLiveOwnerIsNotTouchedADeadOneIsFenced() {
        assertThat(store.openLease(keys.member("a"), "a1", Duration.ofSeconds(10)))
                .isPresent();
        assertThat(checkpoints.save(1, new FencingToken(1, 7), "other")).isFalse();
        assertThat(checkpoints.delete(1, new FencingToken(1, 7))).isFalse();
        nanos.addAndGet(Duration.ofSeconds(11).toNanos());
        assertThat(checkpoints.save(1, new FencingToken(1, 7), "other")).isTrue();
        assertThat(checkpoints.load(1)).contains(new PartitionCheckpoint(1, new FencingToken(1, 8), "other", ""));
    }

    @Test
    void aBackupComesBackIntoPartitionsWithoutALiveOwner() {
        CheckpointBackup backup = CheckpointBackup.parse(checkpoints.export().toJson());
        assertThat(checkpoints.save(0, new FencingToken(1, 4), "later")).isTrue();
        assertThat(store.openLease(keys.member("a"), "a1", Duration.ofSeconds(10)))
                .isPresent();
        assertThat(checkpoints.importAll(backup)).containsExactly(1);
        assertThat(checkpoints.load(0)).contains(new PartitionCheckpoint(0, new FencingToken(1, 6), "released", ""));
        assertThat(checkpoints.load(1)).contains(new PartitionCheckpoint(1, new FencingToken(1, 7), "owned", "a"));
    }

    @Test
    void aBackupIntoAnEmptyStoreRaisesTheGeneration() {
        CheckpointBackup backup = checkpoints.export();
        try (InMemoryCoordinationStore empty = new InMemoryCoordinationStore(nanos::get)) {
            Checkpoints restored = new Checkpoints(empty, GROUP);
            assertThat(restored.list()).isEmpty();
            assertThat(restored.importAll(backup)).isEmpty();
            assertThat(restored.list())
                    .extracting(PartitionCheckpoint::position)
                    .containsExactly("released", "owned", "");
            assertThat(restored.list())
                    .allSatisfy(one -> assertThat(one.token().generation()).isEqualTo(2));
        }
    }

    @Test
    void aBackupOfAnotherGroupSizeOrNoBackupIsRefused() {
        CheckpointBackup smaller = new CheckpointBackup(
                GROUP, 1, checkpoints.export().checkpoints().subList(0, 2));
        assertThatThrownBy(() -> checkpoints.importAll(smaller))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("2 partitions, the group has 3");
        assertThatThrownBy(() -> CheckpointBackup.parse("{\"group\": 1}")).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> CheckpointBackup.parse("not json")).isInstanceOf(InvalidInputException.class);
    }

    @Test
    void aNewGroupMayBeginWithAPositionPerPartition() {
        Checkpoints other = new Checkpoints(store, "test/other");
        assertThat(other.begin(5, List.of("x", "", "z"))).isTrue();
        assertThat(other.list()).extracting(PartitionCheckpoint::position).containsExactly("x", "", "z");
        assertThat(other.list()).extracting(PartitionCheckpoint::token).containsOnly(new FencingToken(5, 1));
        assertThat(other.begin(6, List.of("y"))).isFalse();
        assertThat(other.list()).hasSize(3);
        assertThatThrownBy(() -> other.begin(5, List.of("y"))).isInstanceOf(InvalidInputException.class);
    }
}
