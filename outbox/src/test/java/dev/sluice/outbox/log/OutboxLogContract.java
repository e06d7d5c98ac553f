package dev.sluice.outbox.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.capture.CaptureStatus;
import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.StartPoint;
import dev.sluice.capture.TenantRule;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.coordinate.Lease;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.log.EventRecord;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogState;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Operation;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An outbox as a backend, on one kind of database: nothing twice in a log, nothing lost, and nothing missing in silence. */
@Timeout(60)
abstract class OutboxLogContract {
    private final Outbox outbox = Outbox.builder().build();
    private HikariDataSource database;

    abstract TestDatabase kind();

    @BeforeEach
    void makeTables() {
        database = kind().ready();
    }

    @AfterEach
    void closePool() {
        database.close();
    }

    private void write(String... keys) throws SQLException {
        try (Connection connection = begin()) {
            for (String key : keys) {
                outbox.append(connection, message(key));
            }
            connection.commit();
        }
    }

    private Connection begin() throws SQLException {
        Connection connection = database.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static OutboxMessage message(String key) {
        return OutboxMessage.to("orders")
                .key(key)
                .type("OrderPlaced")
                .json("{\"total\": 12, \"org\": {\"id\": \"o1\"}}")
                .header("tenant", "acme")
                .build();
    }

    private long rows() throws SQLException {
        return Long.parseLong(
                TestDatabase.ask(database, "SELECT COUNT(*) FROM outbox_events").getFirst());
    }

    @Test
    void aMessageIsAnInsertOfItsKeyIntoItsTopic() throws Exception {
        write("a");
        try (LogRig rig = new LogRig(database).untilEvents(1)) {
            EventRecord event = rig.events().getFirst();
            assertThat(event.operation()).isEqualTo(Operation.INSERT);
            assertThat(event.collection()).isEqualTo("orders");
            assertThat(event.documentId().text()).isEqualTo("a");
            assertThat(event.tenant()).as("by the header, where no rule is set").isEqualTo("acme");
            assertThat(Objects.requireNonNull(event.document()).toJson())
                    .isEqualTo("""
                            {"id": %d, "type": "OrderPlaced", "payload": {"total": 12, "org": {"id": "o1"}}, \
                            "headers": {"content-type": "application/json", "tenant": "acme"}}\
                            """.formatted(event.clusterTime().i()));
            assertThat(Duration.between(Instant.ofEpochMilli(event.timestamp()), Instant.now()))
                    .isLessThan(Duration.ofMinutes(1));
            assertThat(event.clusterTime().t())
                    .isBetween(
                            Instant.now().getEpochSecond() - 60, Instant.now().getEpochSecond() + 60);
        }
    }

    @Test
    void theTenantCanBeAFieldOfThePayload() throws Exception {
        write("a");
        try (LogRig rig = new LogRig(
                database, new InMemoryEventLog(), source -> source, () -> {}, new TenantRule.Field("payload.org.id"))) {
            assertThat(rig.untilEvents(1).events().getFirst().tenant()).isEqualTo("o1");
        }
    }

    @Test
    void messagesComeInOrderOverManyBatchesAndLeaveTheTable() throws Exception {
        String[] keys = IntStream.range(0, 350).mapToObj(k -> "k" + k).toArray(String[]::new);
        write(keys);
        try (LogRig rig = new LogRig(database).untilEvents(350)) {
            assertThat(rig.keys()).containsExactly(keys);
            assertThat(rows()).isZero();
        }
    }

    @Test
    void aMessageThatIsCommittedLateComesLateAndTimesNeverGoBack() throws Exception {
        try (LogRig rig = new LogRig(database);
                Connection slow = begin()) {
            outbox.append(slow, message("late"));
            write("early");
            rig.untilEvents(1);
            slow.commit();
            rig.untilEvents(2);
            write("last");
            rig.untilEvents(3);
            assertThat(rig.keys()).containsExactly("early", "late", "last");
            assertThat(rig.events().stream().map(EventRecord::clusterTime)).isSorted();
            assertThat(rig.events().stream().map(EventRecord::id)).doesNotHaveDuplicates();
        }
    }

    @Test
    void rowsStayInTheTableUntilTheLogHasThem() throws Exception {
        write("a", "b");
        long[] seen = {-1};
        try (LogRig rig = new LogRig(database, new InMemoryEventLog(), source -> source, () -> seen[0] = count())) {
            rig.untilEvents(2);
            assertThat(seen[0]).as("rows when the batch was about to be stored").isEqualTo(2);
            assertThat(rows()).isZero();
        }
    }

    private long count() {
        try {
            return rows();
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    /** As when the process is killed between the log's commit and the delete. */
    @Test
    void whatIsInTheLogAndStillInTheTableDoesNotComeAgain() throws Exception {
        write("a", "b");
        InMemoryEventLog log = new InMemoryEventLog();
        LogRig killed = new LogRig(database, log, NeverDeletes::new, () -> {});
        killed.untilEvents(2);
        assertThat(rows()).isEqualTo(2);
        killed.close();
        write("c");
        try (LogRig rig = new LogRig(database, log).untilEvents(3)) {
            rig.until(() -> count() == 0);
            assertThat(rig.keys()).containsExactly("a", "b", "c");
        }
    }

    /** The test above and the one of kills are worth nothing if they do not see this. */
    @Test
    void aReaderThatDeletesTooSoonLosesWhatTheLogDidNotGet() throws Exception {
        write("a", "b");
        InMemoryEventLog log = new InMemoryEventLog();
        LogRig killed = new LogRig(database, log, DeletesTooSoon::new, () -> {
            throw new Killed();
        });
        killed.until(() -> killed.state().reason().contains("killed"));
        killed.close();
        write("c");
        try (LogRig rig = new LogRig(database, log).untilEvents(1)) {
            assertThat(rig.keys()).doesNotContain("a", "b");
        }
    }

    @Test
    void aBatchThatTheLogDidNotGetComesAgain() throws Exception {
        write("a", "b");
        InMemoryEventLog log = new InMemoryEventLog();
        LogRig killed = new LogRig(database, log, source -> source, () -> {
            throw new Killed();
        });
        killed.until(() -> killed.state().reason().contains("killed"));
        killed.close();
        try (LogRig rig = new LogRig(database, log).untilEvents(2)) {
            assertThat(rig.keys()).containsExactly("a", "b");
        }
    }

    @Test
    void aSecondPullerStandsByAndTakesOverAndALogThatMissedRowsSaysSo() throws Exception {
        InMemoryEventLog log = new InMemoryEventLog();
        write("a");
        try (LogRig second = new LogRig(database)) {
            try (LogRig first = new LogRig(database, log).untilEvents(1)) {
                second.until(() -> second.state().status() == CaptureStatus.STANDBY);
                assertThat(second.state().reason()).contains("one Puller at a time");
                assertThat(second.state().counters().connectionFailures()).isZero();
                write("b");
                first.untilEvents(2);
                second.step();
            }
            write("c");
            second.untilEvents(1);
            assertThat(second.keys()).containsExactly("c");
            assertThat(second.events().getFirst().clusterTime())
                    .as("no place in the one log is a place in the other")
                    .isGreaterThan(log.state().head().id().time());
        }
        write("d");
        try (LogRig again = new LogRig(database, log).untilEvents(4)) {
            assertThat(again.keys()).containsExactly("a", "b", "resync", "d");
            assertThat(again.state().counters().gapsDetected()).isOne();
        }
        try (LogRig again = new LogRig(database, log)) {
            write("e");
            again.untilEvents(5);
            assertThat(again.keys()).as("said once").containsExactly("a", "b", "resync", "d", "e");
        }
    }

    @Test
    void anOlderCopyOfALogSaysThatItMissesRows() throws Exception {
        InMemoryEventLog old = new InMemoryEventLog();
        InMemoryEventLog log = new InMemoryEventLog();
        write("a");
        try (LogRig rig = new LogRig(database, log).untilEvents(1)) {
            copy(log, old);
            write("b");
            rig.untilEvents(2);
        }
        write("c");
        try (LogRig rig = new LogRig(database, old).untilEvents(3)) {
            assertThat(rig.keys()).containsExactly("a", "resync", "c");
        }
    }

    private static void copy(InMemoryEventLog from, InMemoryEventLog to) {
        LogState state = from.state();
        if (from.read(state.evictedThrough().position(), 100, Long.MAX_VALUE) instanceof LogRead.Entries all) {
            to.append(all.entries().stream().map(LogEntry::event).toList(), state.checkpoint());
        }
    }

    @Test
    void aLogThatTheDatabaseDoesNotKnowSaysThatItMayMissRows() throws Exception {
        InMemoryEventLog log = new InMemoryEventLog();
        write("a");
        try (LogRig rig = new LogRig(database, log)) {
            rig.untilEvents(1);
        }
        try (HikariDataSource other = kind().ready();
                LogRig rig = new LogRig(other, log).until(() -> log.state().events() == 2)) {
            try (Connection connection = other.getConnection()) {
                connection.setAutoCommit(false);
                outbox.append(connection, message("b"));
                connection.commit();
            }
            rig.untilEvents(3);
            assertThat(rig.keys()).containsExactly("a", "resync", "b");
        }
    }

    @Test
    void aRelayThatTookRowsIsAGap() throws Exception {
        InMemoryEventLog log = new InMemoryEventLog();
        write("a");
        OutboxTable table = new OutboxTable(database, Keeping.DELETE);
        try (LogRig rig = new LogRig(database, log).untilEvents(1)) {
            table.claim(0, new FencingToken(1, 1));
            rig.untilEvents(2);
            assertThat(rig.keys()).as("while it reads").containsExactly("a", "resync");
        }
        table.claim(0, new FencingToken(1, 2));
        write("b");
        try (LogRig rig = new LogRig(database, log).untilEvents(4)) {
            assertThat(rig.keys()).as("while it did not run").containsExactly("a", "resync", "resync", "b");
        }
    }

    @Test
    void besideALivingRelayItReadsNothing() throws Exception {
        JdbcCoordinationStore.createTables(database);
        write("a");
        try (JdbcCoordinationStore store = new JdbcCoordinationStore(database);
                LogRig rig = new LogRig(database)) {
            Lease relay = store.openLease("outbox/orders/members/r1", "r1", Duration.ofSeconds(30))
                    .orElseThrow();
            rig.until(() -> rig.state().status() == CaptureStatus.MISCONFIGURED);
            assertThat(rig.state().reason()).contains("relay of outbox orders");
            assertThat(rows()).isOne();
            relay.close();
            rig.untilEvents(1);
        }
    }

    @Test
    void whatCanBeNoEventIsKeptAsDeadAndHoldsUpNothing() throws Exception {
        try (Connection connection = begin()) {
            outbox.append(
                    connection,
                    OutboxMessage.to("orders")
                            .key("a")
                            .payload(new byte[MessageEvents.LARGEST])
                            .build());
            connection.commit();
        }
        write("b");
        try (LogRig rig = new LogRig(database).untilEvents(1)) {
            rig.until(() -> count() == 0);
            assertThat(rig.keys()).containsExactly("b");
            assertThat(TestDatabase.ask(database, "SELECT reason FROM outbox_dead"))
                    .singleElement()
                    .asString()
                    .contains("bytes");
        }
    }

    @Test
    void aQuietOutboxMovesItsPositionByTheDatabasesClock() {
        try (LogRig rig = new LogRig(database)) {
            rig.until(() -> rig.log.state().started());
            ClusterTime before = rig.log.state().capturedThrough();
            rig.until(() -> rig.log.state().capturedThrough().compareTo(before) > 0);
            assertThat(Duration.between(Objects.requireNonNull(rig.state().sourceTime()), Instant.now())
                            .abs())
                    .isLessThan(Duration.ofMinutes(1));
            assertThat(rig.state().lag()).isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void withoutTablesItSaysWhatToDo() {
        try (HikariDataSource empty = kind().empty();
                LogRig rig = new LogRig(empty)) {
            rig.until(() -> rig.state().status() == CaptureStatus.MISCONFIGURED);
            assertThat(rig.state().reason()).contains("create its tables");
        }
    }

    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("killed");
        }
    }

    /** A source whose cursor does something else with what is durable. */
    private abstract static class Meddling implements ChangeSource {
        private final ChangeSource source;

        Meddling(ChangeSource source) {
            this.source = source;
        }

        abstract SourceBatch next(ChangeCursor cursor) throws SourceException;

        @Override
        public ChangeCursor open(StartPoint from) throws SourceException {
            ChangeCursor cursor = source.open(from);
            return new ChangeCursor() {
                @Override
                public SourceBatch next() throws SourceException {
                    return Meddling.this.next(cursor);
                }

                @Override
                public boolean forgets() {
                    return true;
                }

                @Override
                public void durable(Checkpoint reached) {}

                @Override
                public void close() {
                    cursor.close();
                }
            };
        }

        @Override
        public ClusterTime oldest() throws SourceException {
            return source.oldest();
        }

        @Override
        public void close() {
            source.close();
        }
    }

    private static final class NeverDeletes extends Meddling {
        NeverDeletes(ChangeSource source) {
            super(source);
        }

        @Override
        SourceBatch next(ChangeCursor cursor) throws SourceException {
            return cursor.next();
        }
    }

    private static final class DeletesTooSoon extends Meddling {
        DeletesTooSoon(ChangeSource source) {
            super(source);
        }

        @Override
        SourceBatch next(ChangeCursor cursor) throws SourceException {
            SourceBatch batch = cursor.next();
            cursor.durable(Objects.requireNonNull(batch.reached()));
            return batch;
        }
    }
}
