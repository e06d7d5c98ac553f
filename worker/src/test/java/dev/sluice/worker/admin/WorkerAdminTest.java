package dev.sluice.worker.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.Checkpoints;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.deadletter.DeadLetter;
import dev.sluice.worker.deadletter.InMemoryDeadLetters;
import dev.sluice.worker.deadletter.LetterId;
import dev.sluice.worker.deadletter.RetryOutcome;
import dev.sluice.worker.partition.FixedStream;
import dev.sluice.worker.partition.PartitionDirectory;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WorkerAdminTest {
    private final CoordinationStore store = new InMemoryCoordinationStore();
    private final PartitionDirectory directory = new PartitionDirectory(store, "orders");
    private final Checkpoints checkpoints = new Checkpoints(store, "orders");
    private final FixedStream stream = new FixedStream();
    private final List<String> retried = new ArrayList<>();
    private final InMemoryDeadLetters letters = new InMemoryDeadLetters(10, () -> Instant.EPOCH, letter -> {
        retried.add(letter.subject());
        return 1;
    });
    private final WorkerAdmin admin = new WorkerAdmin(store, "orders", stream, letters);

    @Test
    void aGroupThatNeverStartedHasNothing() {
        GroupReport report = admin.status();
        assertThat(report.partitioning()).isEmpty();
        assertThat(report.workers()).isEmpty();
        assertThat(report.partitions()).isEmpty();
    }

    @Test
    void statusShowsPartitionsWithTheirClaimsAndCursors() {
        directory.admit(Partitions.list(List.of("a", "b", "c")));
        checkpoints.begin(3, 3, "");
        String position = Cursor.startingAfter(1, 17).toText();
        checkpoints.save(1, new FencingToken(3, 0), position);
        GroupReport report = admin.status();
        assertThat(report.partitioning()).isEqualTo("a list of 3 subjects");
        assertThat(report.unowned()).isEqualTo(3);
        assertThat(report.partitions())
                .contains(
                        new GroupReport.Owned(Partition.open(0, "a", "a"), "", "", "", -1),
                        new GroupReport.Owned(
                                Partition.open(1, "b", "b"), "", new FencingToken(3, 1).toString(), position, 17));
    }

    @Test
    void aChangeOfThePartitionsGrowsTheGroup() {
        directory.admit(Partitions.list(List.of("a", "b")));
        checkpoints.begin(3, 2, "");
        stream.with("b");
        PartitionChange change =
                admin.changePartitions(Partitions.list(List.of("a", "c", "d")), ConsumerMode.PER_WORKER);
        assertThat(change.added()).isEqualTo(2);
        assertThat(change.closed()).isEqualTo(1);
        assertThat(change.reopened()).isZero();
        assertThat(change.closing()).isZero();
        GroupControl.View view = new GroupControl(store, "orders").look().orElseThrow();
        assertThat(view.partitions()).isEqualTo(4);
        assertThat(view.generation()).isEqualTo(3);
        assertThat(admin.partitions().at(1)).hasValue(new Partition(1, "b", "b", true, 1));
        assertThat(admin.changePartitions(Partitions.list(List.of("b")), ConsumerMode.PER_WORKER)
                        .reopened())
                .isEqualTo(1);
    }

    @Test
    void aChangeToAPatternFindsItsSubjectsAtOnce() {
        directory.admit(Partitions.list(List.of("dc.t1")));
        stream.with("dc.t1", "dc.t2");
        PartitionChange change = admin.changePartitions(Partitions.pattern("dc.{tool}"), ConsumerMode.PER_WORKER);
        assertThat(change.added()).isEqualTo(1);
        assertThat(new GroupControl(store, "orders").look().orElseThrow().partitions())
                .isEqualTo(2);
    }

    @Test
    void aGroupThatNeverStartedIsNotChanged() {
        Partitions list = Partitions.list(List.of("a"));
        assertThatThrownBy(() -> admin.changePartitions(list, ConsumerMode.PER_WORKER))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("check its name");
        assertThat(admin.partitions().size()).isZero();
    }

    @Test
    void aChangeOfTheSlotsSaysWhatToSetOnTheStream() {
        directory.admit(Partitions.hashed("orders", 2));
        PartitionChange change = admin.changePartitions(Partitions.hashed("orders", 4), ConsumerMode.PER_WORKER);
        assertThat(change.added()).isEqualTo(4);
        assertThat(change.closing()).isEqualTo(2);
        assertThat(change.warnings()).singleElement().asString().contains("nats stream edit ORDERS");
    }

    @Test
    void aChangeThatTheStreamDoesNotFitIsRefused() {
        directory.admit(Partitions.list(List.of("a")));
        stream.retention = Retention.INTEREST;
        assertThatThrownBy(() -> admin.changePartitions(Partitions.pattern("dc.{tool}"), ConsumerMode.PER_WORKER))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("interest");
        assertThat(admin.partitions().version()).isEqualTo(1);
    }

    @Test
    void aLetterOfAClosedPartitionIsNotRetried() {
        directory.admit(Partitions.list(List.of("a", "b")));
        letters.put(letter(0, "a"));
        letters.put(letter(1, "b"));
        admin.changePartitions(Partitions.list(List.of("b")), ConsumerMode.PER_WORKER);
        assertThat(admin.retry(letter(0, "a").id()))
                .isInstanceOfSatisfying(
                        RetryOutcome.Failed.class,
                        failed -> assertThat(failed.reason()).contains("closed"));
        assertThat(admin.retry(letter(1, "b").id())).isInstanceOf(RetryOutcome.Retried.class);
        assertThat(retried).containsExactly("b");
        assertThat(admin.deadLetters().list(0, 10).letters()).hasSize(1);
    }

    private static DeadLetter letter(int partition, String subject) {
        return new DeadLetter(
                new LetterId(1, partition, 1),
                "ORDERS",
                subject,
                subject,
                "w1",
                "broken",
                3,
                Instant.EPOCH,
                Instant.EPOCH,
                Map.of(),
                "x".getBytes(UTF_8));
    }
}
