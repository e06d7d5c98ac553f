package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.metrics.WorkerMetrics;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.StreamMessage;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The metrics of real workers on a real server move. */
@Timeout(180)
class WatchedWorkersTest {
    private static final int PARTITIONS = 6;
    private static final WorkerSettings SETTINGS = WorkerSettings.DEFAULT.with(settings -> {
        settings.stabiliser = StabiliserSettings.IMMEDIATE;
        settings.minUpdateInterval = Duration.ofMillis(100);
        settings.backoff = List.of(Duration.ofMillis(10));
    });

    private final String name = "watched-" + System.nanoTime();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final WorkerMetrics metrics = new WorkerMetrics(registry, SETTINGS);

    @Test
    void whatARealWorkerDoesIsShown() throws Exception {
        try (Connection nats = Nats.connect(NatsServer.shared().url());
                Connection other = Nats.connect(NatsServer.shared().url())) {
            nats.jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name(name)
                            .subjects(name + ".*")
                            .storageType(StorageType.Memory)
                            .build());
            publish(nats, 30);
            try (Worker worker = worker(nats)) {
                metrics.watch(worker::status, worker.counters());
                await("the backlog", () -> value("handled_messages_total") == 30);
                assertThat(value("consumer_messages_total")).isGreaterThanOrEqualTo(30);
                assertThat(value("catch_up_messages_total")).isPositive();
                assertThat(value("handler_latency_seconds_count")).isEqualTo(30);
                await("one durable for all", () -> value("consumer_subject_count") == PARTITIONS);
                assertThat(value("owned_partitions")).isEqualTo(PARTITIONS);
                assertThat(value("consumer_update_duration_seconds_count")).isGreaterThanOrEqualTo(2);
                assertThat(value("consumer_update_failures_total")).isZero();

                nats.jetStream().publish(name + ".p0", "poison".getBytes());
                nats.jetStream().publish(name + ".p0", "behind it".getBytes());
                await("a message without a place for dead letters", () -> waiting("dead_letters") == 1);
                assertThat(value("retries_total")).isEqualTo(SETTINGS.attempts());
                await("the partition behind it", () -> value("partition_lag_max") >= 2);
                assertThat(lines("partition_lag")).anyMatch(line -> line.contains("partition=\"" + name + ".p0\""));
                await("what is in flight", () -> value("consumer_inflight") >= 2);

                try (Worker second = worker(other)) {
                    await("half of the partitions moved", () -> value("handoff_duration_seconds_count") == 3);
                    // The status is read again when it is a moment old.
                    await("three are left", () -> value("owned_partitions") == 3);
                    assertThat(second.counters().handoffs.sum()).isZero();
                }
            }
        }
    }

    private Worker worker(Connection nats) {
        return Worker.builder(nats).stream(name)
                .prefix(name)
                .partitions(Partitions.list(IntStream.range(0, PARTITIONS)
                        .mapToObj(index -> name + ".p" + index)
                        .toList()))
                .handler(WatchedWorkersTest::handle)
                .settings(SETTINGS)
                .listener(metrics)
                .start();
    }

    private static Outcome handle(MessageContext context, StreamMessage message) {
        return new String(message.data()).equals("poison") ? Outcome.retry("poison") : Outcome.done();
    }

    private void publish(Connection nats, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            nats.jetStream().publish(name + ".p" + i % PARTITIONS, ("m" + i).getBytes());
        }
    }

    private List<String> lines(String metric) {
        return Arrays.stream(registry.scrape().split("\n"))
                .filter(line -> line.startsWith("sluice_worker_" + metric + "{")
                        || line.startsWith("sluice_worker_" + metric + " "))
                .toList();
    }

    private double value(String metric) {
        return lines(metric).stream().mapToDouble(WatchedWorkersTest::number).sum();
    }

    private double waiting(String reason) {
        return lines("waiting_partitions").stream()
                .filter(line -> line.contains("reason=\"" + reason + "\""))
                .mapToDouble(WatchedWorkersTest::number)
                .sum();
    }

    private static double number(String line) {
        return Double.parseDouble(line.substring(line.lastIndexOf(' ')));
    }

    private static void await(String what, BooleanSupplier reached) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as(what + " within 60 s").isNegative();
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }
}
