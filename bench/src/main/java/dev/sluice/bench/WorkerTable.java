package dev.sluice.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What the comparison of throughput does not show: latency, CPU of both sides, memory, repeats; medians of the rounds. */
final class WorkerTable {
    private static final String ROW =
            "| %-12s | %-40s | %8s | %8s | %7s | %7s | %8s | %9s | %8s | %8s | %7s | %7s | %7s |%n";
    private static final double MEGABYTE = 1 << 20;

    private final StringBuilder text = new StringBuilder();
    private final List<String> json = new ArrayList<>();

    WorkerTable() {
        text.append(ROW.formatted(
                "partitions",
                "contender, steady rate",
                "offered/s",
                "handled/s",
                "p50 ms",
                "p99 ms",
                "most ms",
                "repeats %",
                "CPU µs/m",
                "server µs",
                "heap MB",
                "RSS MB",
                "start s"));
        text.append(ROW.formatted(
                "---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:"));
    }

    void add(WorkerShape shape, String contender, double offered, List<WorkerTurn> turns) {
        text.append(ROW.formatted(
                shape,
                contender,
                "%,.0f".formatted(offered),
                "%,.0f".formatted(median(turns, turn -> turn.steady().sample().eventsPerSecond())),
                "%.1f".formatted(median(turns, turn -> turn.steady().latency().median() / 1e3)),
                "%.1f".formatted(median(turns, turn -> turn.steady().latency().p99() / 1e3)),
                "%.1f".formatted(median(turns, turn -> turn.steady().latency().most() / 1e3)),
                "%.2f".formatted(median(turns, turn -> turn.steady().repeatPercent())),
                "%.1f".formatted(median(turns, turn -> turn.steady().sample().cpuMicrosPerEvent())),
                "%.1f".formatted(median(turns, turn -> turn.steady().serverCpuMicrosPerMessage())),
                "%.0f".formatted(median(turns, turn -> turn.heapBytes() / MEGABYTE)),
                "%.0f".formatted(median(turns, turn -> turn.residentBytes() / MEGABYTE)),
                "%.1f".formatted(median(turns, WorkerTurn::startSeconds))));
        json.add(String.format(
                Locale.ROOT,
                "{\"partitions\":\"%s\",\"contender\":\"%s\",\"offered\":%.0f,\"handled\":%.0f,\"p50Ms\":%.1f,"
                        + "\"p99Ms\":%.1f,\"repeatPercent\":%.3f,\"cpuMicros\":%.1f,\"serverCpuMicros\":%.1f}",
                shape,
                contender,
                offered,
                median(turns, turn -> turn.steady().sample().eventsPerSecond()),
                median(turns, turn -> turn.steady().latency().median() / 1e3),
                median(turns, turn -> turn.steady().latency().p99() / 1e3),
                median(turns, turn -> turn.steady().repeatPercent()),
                median(turns, turn -> turn.steady().sample().cpuMicrosPerEvent()),
                median(turns, turn -> turn.steady().serverCpuMicrosPerMessage())));
    }

    String json() {
        return "[" + String.join(",", json) + "]";
    }

    private static double median(List<WorkerTurn> turns, ToDoubleFunction<WorkerTurn> value) {
        return Result.Spread.of(turns.stream().map(value::applyAsDouble).toList())
                .median();
    }

    /** Describes a turn in one line, for the progress output. */
    static String line(WorkerTurn turn) {
        return ("backlog %s; flood %s; steady %s, p50 %.1f ms, p99 %.1f ms; repeats %d/%d/%d; heap %.0f MB, RSS %.0f MB;"
                        + " start %.1f s")
                .formatted(
                        line(turn.drain()),
                        line(turn.flood()),
                        line(turn.steady()),
                        turn.steady().latency().median() / 1e3,
                        turn.steady().latency().p99() / 1e3,
                        turn.drain().repeats(),
                        turn.flood().repeats(),
                        turn.steady().repeats(),
                        turn.heapBytes() / MEGABYTE,
                        turn.residentBytes() / MEGABYTE,
                        turn.startSeconds());
    }

    static String line(WorkerTurn.Load load) {
        return "%,.0f/s (CPU %.1f + server %.1f µs)"
                .formatted(
                        load.sample().eventsPerSecond(),
                        load.sample().cpuMicrosPerEvent(),
                        load.serverCpuMicrosPerMessage());
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
