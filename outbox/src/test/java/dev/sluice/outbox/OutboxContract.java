package dev.sluice.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.KeyHash;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Row;
import dev.sluice.outbox.table.Slice;
import dev.sluice.outbox.table.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What an application may rely on when it appends messages, on every database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutboxContract {
    private static final FencingToken TOKEN = new FencingToken(1, 1);

    private final TestDatabase database;
    private final Outbox outbox = Outbox.builder().build();
    private HikariDataSource pool;
    private OutboxTable table;

    OutboxContract(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void open() {
        pool = database.ready();
        table = new OutboxTable(pool, Keeping.DELETE);
        table.claim(0, TOKEN);
    }

    @AfterAll
    void close() {
        pool.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        TestDatabase.run(pool, "DELETE FROM outbox_events");
    }

    private static OutboxMessage message(String key, String payload) {
        return OutboxMessage.to("orders")
                .key(key)
                .payload(payload.getBytes(UTF_8))
                .build();
    }

    private void commit(Outbox through, OutboxMessage... messages) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            through.append(connection, List.of(messages));
            connection.commit();
        }
    }

    private List<Row> rows() {
        return table.fetch(Slice.all(), 1_000, List.of());
    }

    private List<String> payloads() {
        return rows().stream().map(row -> new String(row.payload(), UTF_8)).toList();
    }

    @Test
    void aMessageIsThereAsItWasWrittenOnceItsTransactionHasCommitted() throws SQLException {
        OutboxMessage message = OutboxMessage.to("orders")
                .key("42")
                .type("OrderPlaced")
                .json("{\"total\": 7}")
                .header("traceparent", "00-1-2-01")
                .priority(3)
                .build();
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            outbox.append(connection, message);
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(rows()).isEmpty();
            connection.rollback();
            assertThat(rows()).isEmpty();
            outbox.append(connection, message);
            connection.commit();
        }
        Row row = rows().getFirst();
        assertThat(rows()).hasSize(1);
        assertThat(row.topic()).isEqualTo("orders");
        assertThat(row.key()).isEqualTo("42");
        assertThat(row.type()).isEqualTo("OrderPlaced");
        assertThat(new String(row.payload(), UTF_8)).isEqualTo("{\"total\": 7}");
        assertThat(row.headers()).isEqualTo(Map.of("content-type", "application/json", "traceparent", "00-1-2-01"));
        assertThat(row.priority()).isEqualTo(3);
        assertThat(row.partition()).isEqualTo(KeyHash.partition("42", 6));
    }

    @Test
    void aConnectionInNoTransactionIsRefusedUnlessItIsAskedFor() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            assertThatThrownBy(() -> outbox.append(connection, message("a", "1")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            assertThat(rows()).isEmpty();
            Outbox.builder().allowAutoCommit(true).build().append(connection, message("a", "1"));
            assertThat(connection.getAutoCommit()).isTrue();
        }
        assertThat(rows()).hasSize(1);
    }

    @Test
    void messagesOfOneBatchComeInItsOrder() throws SQLException {
        commit(
                outbox,
                IntStream.range(0, 500)
                        .mapToObj(k -> message("k" + k % 7, "" + k))
                        .toArray(OutboxMessage[]::new));
        assertThat(payloads())
                .isEqualTo(IntStream.range(0, 500).mapToObj(Integer::toString).toList());
    }

    @Test
    void withoutStrictOrderTwoWritersOfAKeyMayCommitAgainstTheOrderOfTheirIds() throws SQLException {
        try (Connection slow = pool.getConnection()) {
            slow.setAutoCommit(false);
            outbox.append(slow, message("a", "first"));
            commit(outbox, message("a", "second"));
            assertThat(payloads()).containsExactly("second");
            slow.commit();
        }
        assertThat(payloads()).containsExactly("first", "second");
    }

    @Test
    void withStrictOrderTheSecondWriterOfAKeyWaitsForTheCommitOfTheFirst() throws Exception {
        Outbox strict = Outbox.builder().strictKeyOrder(true).build();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (Connection slow = pool.getConnection()) {
            slow.setAutoCommit(false);
            strict.append(slow, message("a", "first"));
            Thread second = Thread.ofVirtual().start(() -> {
                try {
                    commit(strict, message("a", "second"));
                } catch (SQLException failed) {
                    failure.set(failed);
                }
            });
            commit(strict, message("another", "meanwhile"));
            assertThat(second.join(Duration.ofMillis(250))).isFalse();
            assertThat(payloads()).containsExactly("meanwhile");
            slow.commit();
            second.join();
        }
        assertThat(failure).hasNullValue();
        assertThat(payloads()).containsExactly("first", "meanwhile", "second");
    }

    /** Each writer numbers a key's messages while it has its lock, as one would who locks the aggregate. */
    @Test
    void withStrictOrderAndSlowCommitsNoReaderEverSeesAKeysRowsOutOfOrder() throws Exception {
        Outbox strict = Outbox.builder().strictKeyOrder(true).build();
        List<String> keys = List.of("a", "b", "c");
        List<Thread> writers = IntStream.range(0, 4)
                .mapToObj(writer -> Thread.ofVirtual().start(() -> write(strict, keys)))
                .toList();
        Map<String, Long> last = new HashMap<>();
        int seen = 0;
        boolean more = true;
        while (more) {
            boolean writing = writers.stream().anyMatch(Thread::isAlive);
            List<Row> rows = rows();
            for (Row row : rows) {
                assertThat(row.id()).isGreaterThan(last.getOrDefault(row.key(), 0L));
                last.put(row.key(), row.id());
            }
            table.finish(0, TOKEN, rows.stream().map(Row::id).toList());
            seen += rows.size();
            more = writing || !rows.isEmpty();
        }
        assertThat(seen).isEqualTo(4 * 25 * 2);
    }

    private void write(Outbox strict, List<String> keys) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int k = 0; k < 25; k++) {
            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                strict.append(
                        connection,
                        List.of(message(keys.get(random.nextInt(3)), "x"), message(keys.get(random.nextInt(3)), "y")));
                LockSupport.parkNanos(random.nextInt(4_000_000));
                connection.commit();
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
        }
    }

    @Test
    void anEncryptedPayloadIsUnreadableInTheTableAndComesOutAsItWentIn() throws SQLException {
        var january = new SecretKeySpec("0123456789abcdef".getBytes(UTF_8), "AES");
        var february = new SecretKeySpec("fedcba9876543210".getBytes(UTF_8), "AES");
        PayloadCipher old = PayloadCipher.aesGcm("january", Map.of("january", january));
        PayloadCipher current = PayloadCipher.aesGcm("february", Map.of("january", january, "february", february));
        commit(outbox, message("a", "plain"));
        commit(Outbox.builder().cipher(old).build(), message("a", "secret"));
        commit(Outbox.builder().cipher(current).build(), message("b", "secret too"));
        assertThat(payloads()).contains("plain").doesNotContain("secret", "secret too");
        List<Row> opened = rows().stream().map(current::open).toList();
        assertThat(opened.stream().map(row -> new String(row.payload(), UTF_8)))
                .containsExactly("plain", "secret", "secret too");
        assertThat(opened).allMatch(row -> row.headers().isEmpty());
        assertThatThrownBy(() -> old.open(rows().getLast()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("february");

        TestDatabase.run(pool, "UPDATE outbox_events SET message_key = 'b' WHERE message_key = 'a'");
        assertThatThrownBy(() -> current.open(rows().get(1))).isInstanceOf(InvalidInputException.class);
    }

    @Test
    void oddTextsAndPayloadsComeOutAsTheyWentIn() throws SQLException {
        List<String> keys = List.of(
                "k".repeat(255),
                "𝄞".repeat(127),
                "a",
                "A",
                "a ",
                " a",
                "ä",
                "a\u0308",
                "'; --",
                "\\%_",
                "\t\n\u007f",
                "日本");
        byte[] allBytes = new byte[256];
        for (int k = 0; k < allBytes.length; k++) {
            allBytes[k] = (byte) k;
        }
        byte[] large = new byte[3 << 20];
        ThreadLocalRandom.current().nextBytes(large);
        List<byte[]> payloads = List.of(new byte[0], allBytes, large);
        List<OutboxMessage> messages = new ArrayList<>();
        for (int k = 0; k < keys.size(); k++) {
            messages.add(OutboxMessage.to(keys.get(k))
                    .key(keys.get(k))
                    .type(keys.get(k))
                    .payload(payloads.get(k % payloads.size()))
                    .header("quote\" \\ \u0000 \ud800", keys.get(k))
                    .build());
        }
        commit(outbox, messages.toArray(OutboxMessage[]::new));
        List<Row> rows = rows();
        assertThat(rows).extracting(Row::key).isEqualTo(keys);
        assertThat(rows).extracting(Row::topic).isEqualTo(keys);
        assertThat(rows).extracting(Row::type).isEqualTo(keys);
        for (int k = 0; k < keys.size(); k++) {
            assertThat(rows.get(k).payload()).isEqualTo(payloads.get(k % payloads.size()));
            assertThat(rows.get(k).headers()).isEqualTo(Map.of("quote\" \\ \u0000 \ud800", keys.get(k)));
        }
        assertThat(table.fetch(Slice.all(), 100, keys)).isEmpty();
    }

    @Test
    void committedTellsWhoeverListens() {
        AtomicInteger told = new AtomicInteger();
        try (Outbox.Registration registration = outbox.onCommitted(told::incrementAndGet)) {
            outbox.committed();
            assertThat(told).hasValue(1);
        }
        outbox.committed();
        assertThat(told).hasValue(1);
    }
}
