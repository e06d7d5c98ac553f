package dev.sluice.bench;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code bench list} and {@code bench NAME [--quick] [--json FILE] [--check]}; exit code 0 done, 1 it failed, 2 wrong usage. */
public final class Bench {
    private static final List<Benchmark> ALL = List.of(
            new CaptureBenchmark(),
            new LogBenchmark(),
            new StreamBenchmark(),
            new CoalesceBenchmark(),
            new MatchBenchmark(),
            new IsolateBenchmark());
    private static final String USAGE = "Usage: bench list | bench NAME [--quick] [--json FILE] [--check]";

    private static final Duration QUICK_WARM_UP = Duration.ofSeconds(4);
    private static final Duration WARM_UP = Duration.ofSeconds(10);

    private final PrintStream out;
    private final PrintStream err;

    public Bench(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) throws Exception {
        System.exit(new Bench(System.out, System.err).run(args));
    }

    /** Returns the exit code. */
    public int run(String... args) throws Exception {
        Deque<String> words = new ArrayDeque<>(Arrays.asList(args));
        String name = words.isEmpty() ? "" : words.remove();
        if (name.equals("list") && words.isEmpty()) {
            ALL.forEach(benchmark -> out.printf("%-10s %s%n", benchmark.name(), benchmark.description()));
            out.printf("%-10s %s%n", LatencyBenchmark.NAME, LatencyBenchmark.DESCRIPTION);
            out.printf("%-10s %s%n", E2eBenchmark.NAME, E2eBenchmark.DESCRIPTION);
            out.printf("%-10s %s%n", RegisterBenchmark.NAME, RegisterBenchmark.DESCRIPTION);
            return 0;
        }
        Optional<Benchmark> chosen =
                ALL.stream().filter(benchmark -> benchmark.name().equals(name)).findFirst();
        boolean quick = false;
        boolean check = false;
        boolean known = true;
        Path json = null;
        while (!words.isEmpty()) {
            String word = words.remove();
            switch (word) {
                case "--quick" -> quick = true;
                case "--check" -> check = true;
                case "--json" -> json = words.isEmpty() ? null : Path.of(words.remove());
                default -> known = false;
            }
        }
        if (name.equals(LatencyBenchmark.NAME) && known) {
            LatencyBenchmark.Outcome outcome = new LatencyBenchmark().run(quick);
            out.print(outcome.table());
            return check && !outcome.passes() ? 1 : 0;
        }
        if (name.equals(RegisterBenchmark.NAME) && known) {
            RegisterBenchmark.Outcome outcome = new RegisterBenchmark().run(quick);
            out.print(outcome.table());
            return check && !outcome.passes() ? 1 : 0;
        }
        if (name.equals(E2eBenchmark.NAME) && known) {
            E2eBenchmark.Outcome outcome = new E2eBenchmark().run(quick);
            out.print(outcome.table());
            return check && !outcome.passes() ? 1 : 0;
        }
        if (chosen.isEmpty() || !known) {
            err.println(USAGE);
            return 2;
        }
        return run(chosen.get(), quick, json, check);
    }

    private int run(Benchmark benchmark, boolean quick, @Nullable Path json, boolean check) throws Exception {
        Rounds rounds = new Rounds(quick ? QUICK_WARM_UP : WARM_UP, err::println);
        List<Result> results = new ArrayList<>();
        for (Benchmark.Group group : benchmark.groups(quick)) {
            results.addAll(rounds.run(group, quick ? Rounds.LEAST : Rounds.LEAST + 2));
        }
        Report report = new Report(benchmark.name(), Instant.now(), results);
        out.println(report.table());
        if (json != null) {
            Files.writeString(json, report.json());
        }
        List<String> failures = check ? report.failures() : List.of();
        failures.forEach(failure -> err.println("Below the floor: " + failure + "."));
        return failures.isEmpty() ? 0 : 1;
    }
}
