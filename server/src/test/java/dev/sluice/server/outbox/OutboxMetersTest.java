package dev.sluice.server.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.GroupStatus;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.identity.MemberState;
import dev.sluice.model.FencingToken;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.metrics.OutboxMeters;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Row;
import dev.sluice.server.config.DatasourceConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every metric has a name that is pinned, and a test in which its value moves: a relay on H2 with a receiver of ours. */
@Timeout(60)
class OutboxMetersTest {
    /** Draft 004 §9.1, each by its mechanical name; and what else an operator must see. */
    private static final String[] NAMES = {
        "sluice_outbox_active_nodes",
        "sluice_outbox_batches_total",
        "sluice_outbox_blocked_topics",
        "sluice_outbox_breaker_open",
        "sluice_outbox_claims",
        "sluice_outbox_database_failures_total",
        "sluice_outbox_dead_events",
        "sluice_outbox_dead_letters_total",
        "sluice_outbox_events_total",
        "sluice_outbox_fenced_total",
        "sluice_outbox_hot_keys",
        "sluice_outbox_keys_parked_total",
        "sluice_outbox_listening",
        "sluice_outbox_lock_contention_total",
        "sluice_outbox_oldest_pending_seconds",
        "sluice_outbox_owned_partitions",
        "sluice_outbox_parked_keys",
        "sluice_outbox_partitions_lost_total",
        "sluice_outbox_partitions_taken_total",
        "sluice_outbox_partitions_without_owner",
        "sluice_outbox_pending_events",
        "sluice_outbox_processing_latency_quantile_seconds",
        "sluice_outbox_processing_latency_seconds",
        "sluice_outbox_rebalances_total",
        "sluice_outbox_receiver_away",
        "sluice_outbox_registry_away_seconds",
        "sluice_outbox_sink_failures_total",
        "sluice_outbox_topics_blocked_total",
        "sluice_outbox_wake_ups_total"
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Outbox outbox = Outbox.builder().partitions(2).build();
    private final Receiver receiver = new Receiver();
    private OutboxDatabase database;
    private OutboxRelay relay;
    private volatile Optional<RelayStatus> said = Optional.empty();

    /** Does with a message what its key says. */
    private static final class Receiver implements Sink, Sink.Channel {
        private volatile boolean away;

        @Override
        public Channel open(Opening opening) {
            return this;
        }

        @Override
        public List<Long> alreadySent() {
            return List.of();
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException {
            if (away) {
                throw new SinkUnavailableException("away", false, null);
            }
            return rows.stream()
                    .<SendOutcome>map(row -> switch (row.key()) {
                        case "fails" -> new SendOutcome.Failed("it does not fit today");
                        case "blocked" -> new SendOutcome.Blocked("its topic is not there");
                        case "never" -> new SendOutcome.Refused("it never fits");
                        default -> SendOutcome.SENT;
                    })
                    .toList();
        }

        @Override
        public void removed() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void start() {
        var url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        database = OutboxDatabase.open(
                new DatasourceConfig(Optional.of(new ConnectionString(url)), Optional.empty(), Optional.empty()), 8);
        OutboxSchema.create(database.source());
        relay = OutboxRelay.builder(database.source())
                .name("test")
                .nodeId("n")
                .partitions(2)
                .sink(receiver)
                .wakeUps(outbox)
                .settings(RelaySettings.DEFAULT.withStabiliser(StabiliserSettings.IMMEDIATE))
                .start();
        new OutboxMeters(() -> Optional.of(said.orElseGet(relay::status)), () -> Optional.of(relay.counters()), 2)
                .bindTo(registry);
        await(() -> value("owned_partitions") == 2);
    }

    @AfterEach
    void stop() {
        relay.close();
        database.close();
    }

    private void write(String key) throws Exception {
        try (var connection = database.source().getConnection()) {
            connection.setAutoCommit(false);
            outbox.append(connection, OutboxMessage.to("t").key(key).build());
            connection.commit();
        }
        outbox.committed();
    }

    private void sql(String statement) throws Exception {
        try (var connection = database.source().getConnection();
                var run = connection.createStatement()) {
            run.execute(statement);
        }
    }

    private double value(String name) {
        return Arrays.stream(scrape())
                .filter(line -> line.startsWith("sluice_outbox_" + name + "{")
                        || line.startsWith("sluice_outbox_" + name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private String[] scrape() {
        return registry.scrape().split("\n");
    }

    private static void await(BooleanSupplier reached) {
        var end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("within 30 s").isNegative();
            java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
        }
    }

    @Test
    void theNamesArePinnedAndWhatFlowsIsCounted() throws Exception {
        receiver.away = true;
        write("a");
        write("b");
        await(() -> value("sink_failures_total") >= 3);
        await(() -> value("breaker_open") >= 1);
        await(() -> value("pending_events") == 2);
        await(() -> value("oldest_pending_seconds") >= 1);
        receiver.away = false;
        await(() -> value("events_total") == 2);
        await(() -> value("breaker_open") == 0);
        assertThat(value("processing_latency_seconds_count")).isEqualTo(2);
        assertThat(value("processing_latency_seconds_sum")).isGreaterThan(1);
        assertThat(value("processing_latency_quantile_seconds")).isGreaterThan(3);
        assertThat(value("batches_total")).isGreaterThanOrEqualTo(1);
        assertThat(value("wake_ups_total")).isEqualTo(2);
        assertThat(value("active_nodes")).isEqualTo(1);
        assertThat(value("claims")).isEqualTo(2);
        assertThat(value("partitions_taken_total")).isEqualTo(2);
        assertThat(value("rebalances_total")).isEqualTo(1);
        var names = Arrays.stream(scrape())
                .filter(line -> line.startsWith("# TYPE sluice_outbox_"))
                .map(line -> line.split(" ")[2])
                .sorted();
        assertThat(names).containsExactly(NAMES);
    }

    @Test
    void troubleIsCounted() throws Exception {
        write("fails");
        write("never");
        write("blocked");
        await(() -> value("keys_parked_total") == 1 && value("dead_letters_total") == 1);
        await(() -> value("parked_keys") == 1 && value("dead_events") == 1);
        await(() -> value("topics_blocked_total") >= 1 && value("blocked_topics") == 1);
        sql("ALTER TABLE outbox_events RENAME TO elsewhere");
        relay.wake();
        await(() -> value("database_failures_total") >= 1);
        sql("ALTER TABLE elsewhere RENAME TO outbox_events");
        new OutboxTable(database.source(), Keeping.DELETE).claim(1, new FencingToken(9, 9));
        new OutboxTable(database.source(), Keeping.DELETE).claim(0, new FencingToken(9, 9));
        write("a");
        await(() -> value("fenced_total") >= 1);
    }

    /** What takes several nodes or another database to happen: said by hand. */
    @Test
    void whatTheGroupSaysIsShown() {
        var members = new GroupStatus(
                "outbox/test",
                "n",
                "n#1",
                MemberState.READY,
                List.of("m", "n", "o"),
                "n",
                true,
                1,
                6,
                false,
                List.of(),
                Map.of(4, Duration.ofSeconds(9)),
                Duration.ofMillis(2500),
                "closed");
        said = Optional.of(new RelayStatus(
                "test",
                "n",
                members,
                new RelayStatus.Contention(3, 4, 5, 6),
                List.of(),
                Optional.empty(),
                List.of(new RelayStatus.HotKey(1, "k", 0.5)),
                "it does not answer",
                "",
                true));
        assertThat(value("active_nodes")).isEqualTo(3);
        assertThat(value("claims")).isEqualTo(6);
        assertThat(value("owned_partitions")).isZero();
        assertThat(value("partitions_without_owner")).isEqualTo(1);
        assertThat(value("registry_away_seconds")).isEqualTo(2.5);
        assertThat(value("lock_contention_total")).isEqualTo(3);
        assertThat(value("partitions_taken_total")).isEqualTo(4);
        assertThat(value("rebalances_total")).isEqualTo(5);
        assertThat(value("partitions_lost_total")).isEqualTo(6);
        assertThat(value("listening")).isEqualTo(1);
        assertThat(value("hot_keys")).isEqualTo(1);
        assertThat(value("receiver_away")).isEqualTo(1);
    }
}
