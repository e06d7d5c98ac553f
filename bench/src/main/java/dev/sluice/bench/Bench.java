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

/** {@code bench list} and {@code bench NAME [--quick] [--seconds N] [--json FILE] [--check]}; exit code 0 done, 1 it failed, 2 wrong usage. */
public final class Bench {
    private static final List<Benchmark> ALL = List.of(
            new CaptureBenchmark(),
            new LogBenchmark(),
            new StreamBenchmark(),
            new CoalesceBenchmark(),
            new MatchBenchmark(),
            new IsolateBenchmark());
    private static final List<Trial> TRIALS = List.of(
            new Trial(LatencyBenchmark.NAME, LatencyBenchmark.DESCRIPTION, (length, progress) -> {
                LatencyBenchmark.Outcome outcome = new LatencyBenchmark().run(length.quick());
                return Verdict.of(outcome.table(), outcome.passes());
            }),
            new Trial(
                    E2eBenchmark.NAME,
                    E2eBenchmark.DESCRIPTION,
                    E2eBenchmark.DETAILS,
                    (length, progress) -> new E2eBenchmark(length, progress).run()),
            new Trial(RegisterBenchmark.NAME, RegisterBenchmark.DESCRIPTION, (length, progress) -> {
                RegisterBenchmark.Outcome outcome = new RegisterBenchmark().run(length.quick());
                return Verdict.of(outcome.table(), outcome.passes());
            }),
            new Trial(
                    StuckBenchmark.NAME,
                    StuckBenchmark.DESCRIPTION,
                    StuckBenchmark.DETAILS,
                    (length, progress) -> new StuckBenchmark(length, progress).run()),
            new Trial(
                    BehindBenchmark.NAME,
                    BehindBenchmark.DESCRIPTION,
                    BehindBenchmark.DETAILS,
                    (length, progress) -> new BehindBenchmark(length, progress).run()),
            new Trial(
                    PartitionBenchmark.NAME,
                    PartitionBenchmark.DESCRIPTION,
                    PartitionBenchmark.DETAILS,
                    (length, progress) -> new PartitionBenchmark(length, progress).run()),
            new Trial(
                    OutboxBenchmark.NAME,
                    OutboxBenchmark.DESCRIPTION,
                    (length, progress) -> new OutboxBenchmark(length.quick(), progress).run()),
            new Trial(
                    OutboxSteadyBenchmark.NAME,
                    OutboxSteadyBenchmark.DESCRIPTION,
                    (length, progress) -> new OutboxSteadyBenchmark(length, progress).run()),
            new Trial(
                    OutboxNodesBenchmark.NAME,
                    OutboxNodesBenchmark.DESCRIPTION,
                    (length, progress) -> new OutboxNodesBenchmark(length, progress).run()),
            new Trial(
                    WorkerBenchmark.NAME,
                    WorkerBenchmark.DESCRIPTION,
                    (length, progress) -> new WorkerBenchmark(length, progress).run()),
            new Trial(
                    GatewayBenchmark.NAME,
                    GatewayBenchmark.DESCRIPTION,
                    GatewayBenchmark.DETAILS,
                    (length, progress) -> new GatewayBenchmark(length, progress).run()));
    private static final String USAGE =
            "Usage: bench list | bench NAME [--quick] [--seconds N] [--json FILE] [--check] | bench NAME --help";

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
            ALL.forEach(benchmark -> out.printf("%-13s %s%n", benchmark.name(), benchmark.description()));
            TRIALS.forEach(trial -> out.printf("%-13s %s%n", trial.name(), trial.description()));
            return 0;
        }
        Optional<Benchmark> chosen =
                ALL.stream().filter(benchmark -> benchmark.name().equals(name)).findFirst();
        boolean help = false;
        boolean quick = false;
        boolean check = false;
        boolean known = true;
        int seconds = 0;
        Path json = null;
        while (!words.isEmpty()) {
            String word = words.remove();
            switch (word) {
                case "--help", "-h" -> help = true;
                case "--quick" -> quick = true;
                case "--check" -> check = true;
                case "--seconds" -> seconds = words.isEmpty() ? 0 : Integer.parseInt(words.remove());
                case "--json" -> json = words.isEmpty() ? null : Path.of(words.remove());
                default -> known = false;
            }
        }
        Optional<Trial> trial =
                TRIALS.stream().filter(one -> one.name().equals(name)).findFirst();
        if (help && known && (trial.isPresent() || chosen.isPresent())) {
            out.println(trial.map(Bench::help)
                    .orElseGet(() -> help(name, chosen.get().description())));
            return 0;
        }
        if (trial.isPresent() && known) {
            return run(trial.get(), new Trial.Length(quick, seconds), json, check);
        }
        if (chosen.isEmpty() || !known) {
            err.println(USAGE);
            return 2;
        }
        return run(chosen.get(), quick, json, check);
    }

    private static String help(Trial trial) {
        String start = help(trial.name(), trial.description());
        return trial.details().isEmpty()
                ? start
                : start + "\n\n" + trial.details().strip();
    }

    private static String help(String name, String description) {
        return "bench " + name + ": " + description + "\n" + USAGE;
    }

    private int run(Trial trial, Trial.Length length, @Nullable Path json, boolean check) throws Exception {
        Verdict verdict = trial.run().run(length, err::println);
        out.print(verdict.table());
        if (json != null && !verdict.json().isEmpty()) {
            Files.writeString(json, verdict.json());
        }
        return judged(check ? verdict.failures() : List.of());
    }

    private int judged(List<String> failures) {
        failures.forEach(failure -> err.println("Below the floor: " + failure + "."));
        return failures.isEmpty() ? 0 : 1;
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
        return judged(check ? report.failures() : List.of());
    }
}
