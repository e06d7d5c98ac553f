package dev.sluice.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.table.OutboxSchema;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Our own, on its defaults, six partitions. Settings: {@code delivery}, {@code node} and of how many
 * {@code nodes}, {@code limit} in bytes per second (0: none).
 */
public final class SluiceOutbox implements OutboxUnderTest {
    static final int PARTITIONS = Outbox.DEFAULT_PARTITIONS;

    private static final int PER_TRANSACTION = 1_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final OutboxSettings settings;
    private final HikariDataSource source;
    private @Nullable OutboxRelay relay;

    public SluiceOutbox(OutboxSettings settings) {
        this.settings = settings;
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(settings.jdbc());
        pool.setMaximumPoolSize(PARTITIONS + 6);
        this.source = new HikariDataSource(pool);
    }

    static OutboxContender.Kind kind(String delivery) {
        return new OutboxContender.Kind(
                "Sluice, " + delivery,
                "sluice-" + delivery,
                SluiceOutbox.class.getName(),
                true,
                Map.of("delivery", delivery, "node", "node-1", "nodes", "1", "limit", "0"));
    }

    @Override
    public void createTables() {
        OutboxSchema.create(source);
    }

    @Override
    public void write(int count) throws SQLException {
        Outbox outbox = Outbox.builder().partitions(PARTITIONS).build();
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (int from = 0; from < count; from += PER_TRANSACTION) {
                List<OutboxMessage> messages = new ArrayList<>();
                for (int number = from; number < Math.min(count, from + PER_TRANSACTION); number++) {
                    messages.add(message(settings.topic(), number));
                }
                outbox.append(connection, messages);
                connection.commit();
            }
        }
    }

    static OutboxMessage message(String topic, long number) {
        return OutboxMessage.to(topic)
                .key(OutboxLoad.key(number))
                .payload(OutboxLoad.payload(number).getBytes(StandardCharsets.UTF_8))
                .build();
    }

    @Override
    public String table() {
        return "outbox_events";
    }

    @Override
    public String order() {
        return "id";
    }

    @Override
    public List<String> generated() {
        return List.of("id", "created_at");
    }

    @Override
    public void start() throws InterruptedException {
        Map<String, Object> producer = new HashMap<>();
        producer.put("bootstrap.servers", settings.bootstrap());
        producer.put("client.id", settings.text("node"));
        OutboxRelay started = OutboxRelay.builder(source)
                .name("bench")
                .nodeId(settings.text("node"))
                .partitions(PARTITIONS)
                .sink(sink(producer))
                .settings(RelaySettings.DEFAULT.withStabiliser(StabiliserSettings.IMMEDIATE))
                .start();
        relay = started;
        int share = PARTITIONS / settings.number("nodes");
        long patience = System.nanoTime() + PATIENCE_NANOS;
        while (started.status().partitions().size() != share) {
            if (System.nanoTime() > patience) {
                throw new IllegalStateException("it has not got its partitions: " + started.status());
            }
            Thread.sleep(20);
        }
    }

    private Sink sink(Map<String, Object> producer) {
        Sink kafka = settings.text("delivery").equals("exactly-once")
                ? KafkaSinks.exactlyOnce(producer)
                : KafkaSinks.atLeastOnce(producer);
        int limit = settings.number("limit");
        return limit == 0 ? kafka : new ThrottledSink(kafka, limit);
    }

    @Override
    public void wakeUp() {
        Objects.requireNonNull(relay).wake();
    }

    @Override
    public long sent() {
        return Objects.requireNonNull(relay).counters().sent();
    }

    @Override
    public void stop() {
        Objects.requireNonNull(relay).close();
    }
}
