package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The runner; benchmarks themselves are run by hand. */
class BenchTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) throws Exception {
        return new Bench(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .run(args);
    }

    private record Fixed(String name, long wallNanos, List<String> order) implements Contender {
        @Override
        public Sample round() {
            order.add(name);
            return new Sample(1000, wallNanos, 500_000);
        }
    }

    @Test
    void contendersTakeTurnsWithTheBaselineAsControl() throws Exception {
        List<String> order = new ArrayList<>();
        Benchmark.Group group = new Benchmark.Group(
                "g", new Fixed("base", 1_000_000, order), List.of(new Fixed("ours", 2_000_000, order)), 0.7);
        List<Result> results = new Rounds(Duration.ZERO, line -> {}).run(group, 5);
        assertThat(order).hasSize(18).startsWith("base", "ours", "base", "base", "ours", "base");
        assertThat(results).extracting(Result::contender).containsExactly("base", "ours", "base (A/A control)");
        assertThat(results.get(1).ratio().median()).isEqualTo(0.5);
        assertThat(results.get(1).cpu().median()).isEqualTo(0.5);
        Report report = new Report("x", Instant.EPOCH, results);
        assertThat(report.failures()).containsExactly("g, ours: 0.50 of the baseline, the floor is 0.70");
        assertThat(report.table()).contains("1,000,000", "ours", "0.70");
        assertThat(report.json()).contains("\"median\":0.500", "\"passes\":false");
    }

    @Test
    void aFloorOfCpuIsCheckedTooWhereThereIsOne() throws Exception {
        List<String> order = new ArrayList<>();
        Benchmark.Group group = new Benchmark.Group(
                "g", new Fixed("base", 1_000_000, order), List.of(new Fixed("ours", 1_000, order)), 10, 20);
        Report report = new Report("x", Instant.EPOCH, new Rounds(Duration.ZERO, line -> {}).run(group, 5));
        assertThat(report.failures())
                .singleElement()
                .asString()
                .contains("1/1.00 of the baseline's, the floor is 1/20.00");
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMiddle() {
        assertThat(Result.Spread.of(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(new Result.Spread(1, 2.5, 4));
    }

    @Test
    void listNamesThemAll() throws Exception {
        assertThat(run("list")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("log", "outbox-nodes", "worker");
    }

    @Test
    void helpExplainsOneBenchmarkAndRunsNothing() throws Exception {
        assertThat(run("gateway", "--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("bench gateway: ", "--quick", "ulimit -n");
        assertThat(run("log", "-h")).isZero();
        assertThat(run("nonsense", "--help")).isEqualTo(2);
    }

    @Test
    void wrongUsageIsTwo() throws Exception {
        assertThat(run()).isEqualTo(2);
        assertThat(run("nonsense")).isEqualTo(2);
        assertThat(run("log", "--fast")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("Usage: bench");
    }
}
