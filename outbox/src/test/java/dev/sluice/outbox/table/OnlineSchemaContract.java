package dev.sluice.outbox.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Also changes the layout while writers write. Not for H2, whose ALTER TABLE copies the table and swaps it. */
abstract class OnlineSchemaContract extends OutboxSchemaContract {
    OnlineSchemaContract(TestDatabase database) {
        super(database);
    }

    /** Somebody who writes until told to stop, one row in a transaction, and knows which were committed. */
    private final class Writer implements AutoCloseable {
        interface Write {
            void row(Connection connection, String key) throws SQLException;
        }

        private final List<String> committed = Collections.synchronizedList(new ArrayList<>());
        private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
        private volatile boolean stopped;

        Writer(String name, Write write) {
            Thread.ofVirtual().start(() -> {
                try (Connection connection = pool().getConnection()) {
                    connection.setAutoCommit(false);
                    for (int k = 0; !stopped; k++) {
                        write.row(connection, name + '-' + k % 50);
                        connection.commit();
                        committed.add(name + '-' + k % 50);
                        LockSupport.parkNanos(1_000_000);
                    }
                    ended.complete(true);
                } catch (SQLException | RuntimeException failed) {
                    ended.completeExceptionally(failed);
                }
            });
        }

        void awaitMore(int rows) {
            int before = committed.size();
            await().until(() -> ended.isDone() || committed.size() >= before + rows);
        }

        /** Fails when a write failed. */
        @Override
        public void close() {
            stopped = true;
            assertThat(ended.join()).isTrue();
        }
    }

    @Test
    void forwardAndBackUnderWritersOfBothKindsLosesNothingAndHoldsNobodyUp() throws Exception {
        createOldLayout();
        fillOld(2_500);
        Outbox outbox = Outbox.builder().build();
        List<String> written = new ArrayList<>();
        IntStream.range(0, 2_500).forEach(k -> written.add("before-" + k));

        CompletableFuture<Long> migrated;
        Writer old = new Writer("old", OutboxSchemaContract::insertOld);
        try (old;
                Connection slow = pool().getConnection()) {
            old.awaitMore(10);
            slow.setAutoCommit(false);
            insertOld(slow, "slow");
            migrated = CompletableFuture.supplyAsync(() -> OutboxSchema.migrate(pool(), 6));
            // The migration needs the table for itself, which the slow transaction has: nobody queues behind it.
            old.awaitMore(50);
            assertThat(migrated).isNotDone();
            slow.commit();
            written.add("slow");
            await().until(() -> OutboxSchema.version(pool()) == 2);
            try (Writer modern = new Writer(
                    "new",
                    (connection, key) -> outbox.append(
                            connection, OutboxMessage.to("orders").key(key).build()))) {
                modern.awaitMore(50);
                assertThat(migrated.join()).isGreaterThanOrEqualTo(2_501);
                modern.awaitMore(50);
                old.awaitMore(50);
                modern.close();
                written.addAll(modern.committed);
            }
        }
        written.addAll(old.committed);
        OutboxTable table = new OutboxTable(pool(), Keeping.DELETE);
        FencingToken token = new FencingToken(1, 1);
        table.claim(0, token);
        while (table.assignPartitions(token, 6, 100) > 0) {}
        assertThat(table.fetch(Slice.all(), 2_000, List.of()))
                .hasSize(2_000)
                .allMatch(row -> KeyHash.partition(row.key(), 6) == row.partition());
        assertThat(drain(6, 6)).containsExactlyInAnyOrderElementsOf(written);

        Writer oldAgain = new Writer("again", OutboxSchemaContract::insertOld);
        try (oldAgain) {
            oldAgain.awaitMore(50);
            OutboxSchema.migrateBack(pool());
            oldAgain.awaitMore(50);
        }
        assertThat(OutboxSchema.version(pool())).isEqualTo(1);
        assertThat(TestDatabase.ask(pool(), "SELECT message_key FROM outbox_events WHERE status = 0"))
                .containsExactlyInAnyOrderElementsOf(oldAgain.committed);
    }
}
