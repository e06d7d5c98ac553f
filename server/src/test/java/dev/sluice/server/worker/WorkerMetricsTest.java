package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.LaneStatus.Waiting;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.WorkerStatus;
import dev.sluice.worker.metrics.WorkerMetrics;
import dev.sluice.worker.migrate.Migration;
import dev.sluice.worker.migrate.Migration.Phase;
import dev.sluice.worker.migrate.MigrationLimits;
import dev.sluice.worker.migrate.MigrationStatus;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every metric of a worker has a pinned name, and a test in which its value moves. */
class WorkerMetricsTest {
    /** Draft 002 §8, each by its mechanical name; and what else an operator must see. */
    static final List<String> NAMES = List.of(
            "sluice_worker_catch_up_messages_total",
            "sluice_worker_consumer_inflight",
            "sluice_worker_consumer_messages_total",
            "sluice_worker_consumer_redeliveries_total",
            "sluice_worker_consumer_subject_count",
            "sluice_worker_consumer_subject_limit",
            "sluice_worker_consumer_update_duration_seconds",
            "sluice_worker_consumer_update_duration_seconds_max",
            "sluice_worker_consumer_update_failures_total",
            "sluice_worker_consumer_update_skipped_total",
            "sluice_worker_dead_letters_total",
            "sluice_worker_duplicate_subjects_total",
            "sluice_worker_gaps_total",
            "sluice_worker_handled_messages_total",
            "sluice_worker_handler_latency_quantile_seconds",
            "sluice_worker_handler_latency_seconds",
            "sluice_worker_handler_latency_seconds_max",
            "sluice_worker_handoff_duration_seconds",
            "sluice_worker_handoff_duration_seconds_max",
            "sluice_worker_listener_failures_total",
            "sluice_worker_migration_phase",
            "sluice_worker_owned_partitions",
            "sluice_worker_partition_lag",
            "sluice_worker_partition_lag_max",
            "sluice_worker_problems",
            "sluice_worker_retries_total",
            "sluice_worker_stale_acks_dropped_total",
            "sluice_worker_waiting_partitions");

    private static final WorkerSettings SETTINGS = WorkerSettings.DEFAULT.with(draft -> draft.shards = 2);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final WorkerMetrics metrics = new WorkerMetrics(registry, SETTINGS);
    private final WorkerCounters counters = new WorkerCounters();
    private final AtomicInteger statusReads = new AtomicInteger();
    private volatile WorkerStatus status = status(0, List.of());

    private void watch() {
        metrics.watch(
                () -> {
                    statusReads.incrementAndGet();
                    return status;
                },
                counters);
    }

    private static WorkerStatus status(int subjects, List<LaneStatus> lanes, String... problems) {
        return status(subjects, lanes, null, problems);
    }

    private static WorkerStatus status(
            int subjects, List<LaneStatus> lanes, @Nullable MigrationStatus migration, String... problems) {
        return new WorkerStatus(
                "orders",
                "3",
                "a1b2",
                WorkerStatus.State.RUNNING,
                List.of("orders-3-a1b2-1"),
                subjects,
                0,
                lanes,
                ConsumerMode.PER_WORKER,
                migration,
                List.of(problems));
    }

    private static LaneStatus lane(int index, long lag, Waiting waiting) {
        return new LaneStatus(
                "p" + index, index, new FencingToken(1, 1), LaneStatus.Source.DURABLE, 0, 0, lag, 0, waiting, null);
    }

    private static List<LaneStatus> lanes(long... lags) {
        return IntStream.range(0, lags.length)
                .mapToObj(index -> lane(index, lags[index], Waiting.NO))
                .toList();
    }

    private List<String> lines(String name) {
        return Arrays.stream(registry.scrape().split("\n"))
                .filter(line -> line.startsWith("sluice_worker_" + name + "{")
                        || line.startsWith("sluice_worker_" + name + " "))
                .toList();
    }

    private double value(String name) {
        return lines(name).stream()
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** The series of the worst partitions follow the status that a scrape reads, at the next scrape at the latest. */
    private void show(WorkerStatus next) {
        status = next;
        watch();
        registry.scrape();
    }

    @Test
    void theNamesArePinned() {
        show(status(1, lanes(5)));
        var names = Arrays.stream(registry.scrape().split("\n"))
                .filter(line -> line.startsWith("# TYPE sluice_worker_"))
                .map(line -> line.split(" ")[2])
                .sorted();
        assertThat(names).containsExactlyElementsOf(NAMES);
    }

    @Test
    void theDocumentationListsEveryMetric() throws Exception {
        show(status(1, lanes(5)));
        var rows = Arrays.stream(registry.scrape().split("\n"))
                .filter(line -> line.startsWith("# HELP sluice_worker_") && !line.contains("_seconds_max "))
                .map(line -> line.split(" ", 4))
                .map(help -> "| `" + help[2] + "` | " + help[3] + " |")
                .toList();
        Files.write(Path.of("target/worker-metric-rows.md"), rows);
        assertThat(Files.readAllLines(Path.of("..", "docs", "worker.md")))
                .as("the table of metrics; the right rows are in server/target/worker-metric-rows.md")
                .filteredOn(line -> line.startsWith("| `sluice_worker_"))
                .containsExactlyElementsOf(rows);
    }

    @TestFactory
    List<DynamicTest> eachCounterIsShown() {
        var counted = Map.ofEntries(
                Map.entry("catch_up_messages_total", counters.catchUpMessages),
                Map.entry("consumer_messages_total", counters.messages),
                Map.entry("consumer_redeliveries_total", counters.redeliveries),
                Map.entry("consumer_update_failures_total", counters.updateFailures),
                Map.entry("consumer_update_skipped_total", counters.updatesSkipped),
                Map.entry("dead_letters_total", counters.deadLettered),
                Map.entry("duplicate_subjects_total", counters.duplicateSubjects),
                Map.entry("gaps_total", counters.gaps),
                Map.entry("handled_messages_total", counters.handled),
                Map.entry("listener_failures_total", counters.listenerFailures),
                Map.entry("retries_total", counters.retried),
                Map.entry("stale_acks_dropped_total", counters.staleAcksDropped));
        List<DynamicTest> tests = new ArrayList<>();
        counted.forEach((name, counter) -> tests.add(DynamicTest.dynamicTest(name, () -> {
            watch();
            assertThat(value(name)).isZero();
            counter.add(7);
            assertThat(value(name)).isEqualTo(7);
        })));
        return tests;
    }

    @Test
    void inflightIsPendingPlusUnacknowledged() {
        watch();
        counters.pending.set(40);
        counters.unacknowledged.set(2);
        assertThat(value("consumer_inflight")).isEqualTo(42);
    }

    @Test
    void theHandlersDurationIsAHistogramWithQuantiles() {
        WorkerListener listener = WorkerListener.guarded(metrics, counters);
        for (int call = 0; call < 100; call++) {
            listener.handled(Duration.ofMillis(call < 90 ? 10 : 400), Outcome.done());
        }
        assertThat(value("handler_latency_seconds_count")).isEqualTo(100);
        assertThat(value("handler_latency_seconds_sum")).isBetween(4.8, 5.0);
        assertThat(lines("handler_latency_seconds_bucket"))
                .anyMatch(line -> line.contains("le=\"0.111848106\"") && line.endsWith(" 90"))
                .anyMatch(line -> line.contains("le=\"+Inf\"") && line.endsWith(" 100"));
        assertThat(value("handler_latency_seconds_max")).isEqualTo(0.4);
        assertThat(quantile("0.5")).isBetween(0.009, 0.012);
        assertThat(quantile("0.95")).isBetween(0.38, 0.43);
        assertThat(quantile("0.99")).isBetween(0.38, 0.43);
    }

    private double quantile(String share) {
        return lines("handler_latency_quantile_seconds").stream()
                .filter(line -> line.contains("quantile=\"" + share + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void updatesAndHandoffsAreTimed() {
        metrics.updateTook(Duration.ofMillis(20), true);
        metrics.updateTook(Duration.ofMillis(300), false);
        metrics.handoffTook(Duration.ofMillis(150));
        assertThat(value("consumer_update_duration_seconds_count")).isEqualTo(2);
        assertThat(value("consumer_update_duration_seconds_sum")).isEqualTo(0.32);
        assertThat(value("handoff_duration_seconds_count")).isEqualTo(1);
        assertThat(value("handoff_duration_seconds_sum")).isEqualTo(0.15);
        assertThat(value("consumer_update_duration_seconds_max")).isEqualTo(0.3);
        assertThat(value("handoff_duration_seconds_max")).isEqualTo(0.15);
        assertThat(lines("handoff_duration_seconds_bucket"))
                .anyMatch(line -> line.contains("le=\"0.1\"") && line.endsWith(" 0"))
                .anyMatch(line -> line.contains("le=\"0.25\"") && line.endsWith(" 1"));
    }

    @Test
    void theStatusIsShown() {
        status = status(
                450,
                List.of(lane(0, 3, Waiting.DEAD_LETTERS), lane(1, 8, Waiting.GAP), lane(2, 0, Waiting.NO)),
                "gap in p1",
                "dead-letter stream full");
        watch();
        assertThat(value("consumer_subject_count")).isEqualTo(450);
        assertThat(value("consumer_subject_limit")).isEqualTo(1000);
        assertThat(value("owned_partitions")).isEqualTo(3);
        assertThat(value("partition_lag_max")).isEqualTo(8);
        assertThat(value("problems")).isEqualTo(2);
        assertThat(lines("waiting_partitions"))
                .containsExactlyInAnyOrder(
                        "sluice_worker_waiting_partitions{reason=\"dead_letters\"} 1.0",
                        "sluice_worker_waiting_partitions{reason=\"gap\"} 1.0",
                        "sluice_worker_waiting_partitions{reason=\"handoff\"} 0.0",
                        "sluice_worker_waiting_partitions{reason=\"paused\"} 0.0",
                        "sluice_worker_waiting_partitions{reason=\"retry\"} 0.0");
    }

    @Test
    void thePhaseOfAMigrationIsShown() {
        watch();
        assertThat(value("migration_phase")).isZero();
        for (Phase phase : Phase.values()) {
            var migration = new Migration(
                    1, ConsumerMode.PER_WORKER, ConsumerMode.PER_PARTITION, phase, 0, MigrationLimits.DEFAULT, "");
            show(status(1, lanes(1), new MigrationStatus(migration, "")));
            assertThat(value("migration_phase")).isEqualTo(phase.ordinal() + 1);
        }
    }

    @Test
    void onlyTheTenPartitionsWithTheHighestLagHaveASeries() {
        show(status(15, lanes(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)));
        assertThat(lines("partition_lag"))
                .hasSize(10)
                .contains("sluice_worker_partition_lag{partition=\"p9\"} 6.0")
                .doesNotContain("sluice_worker_partition_lag{partition=\"p10\"} 5.0");

        show(status(15, lanes(0, 0, 0, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 100)));
        assertThat(lines("partition_lag"))
                .hasSize(10)
                .contains("sluice_worker_partition_lag{partition=\"p14\"} 100.0")
                .contains("sluice_worker_partition_lag{partition=\"p3\"} 12.0");

        show(status(0, List.of()));
        assertThat(lines("partition_lag")).isEmpty();
    }

    @Test
    void theStatusIsNotReadForEverySeries() {
        status = status(1, lanes(1));
        watch();
        registry.scrape();
        assertThat(statusReads.get()).isBetween(1, 3);
    }

    @Test
    void workersOfOneProcessAreToldApartByTheirTags() {
        var first = new WorkerMetrics(registry, WorkerSettings.DEFAULT, Tags.of("worker", "1"));
        var second = new WorkerMetrics(registry, WorkerSettings.DEFAULT, Tags.of("worker", "2"));
        var others = new WorkerCounters();
        counters.messages.add(1);
        others.messages.add(2);
        first.watch(() -> status, counters);
        second.watch(() -> status, others);
        assertThat(lines("consumer_messages_total"))
                .contains(
                        "sluice_worker_consumer_messages_total{worker=\"1\"} 1.0",
                        "sluice_worker_consumer_messages_total{worker=\"2\"} 2.0");
    }
}
