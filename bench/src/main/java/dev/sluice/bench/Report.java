package dev.sluice.bench;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The results of one benchmark, for people and for machines. */
public record Report(String benchmark, Instant when, List<Result> results) {
    private static final String ROW = "| %-10s | %-40s | %12s | %21s | %8s | %5s | %11s | %5s | %7s | %5s |%n";

    /** A Markdown table. */
    String table() {
        StringBuilder text = new StringBuilder();
        text.append("`%s`, %s, %s%n%n".formatted(benchmark, when.truncatedTo(ChronoUnit.SECONDS), machine()));
        text.append(ROW.formatted(
                "group", "contender", "events/s", "range", "CPU µs/e", "ratio", "range", "floor", "CPU 1/x", "floor"));
        text.append(ROW.formatted("---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:"));
        for (Result result : results) {
            Result.Spread speed = result.throughput();
            Result.Spread ratio = result.ratio();
            text.append(ROW.formatted(
                    result.group(),
                    result.contender(),
                    "%,.0f".formatted(speed.median()),
                    "%,.0f–%,.0f".formatted(speed.least(), speed.most()),
                    "%.2f".formatted(result.cpu().median()),
                    "%.2f".formatted(ratio.median()),
                    "%.2f–%.2f".formatted(ratio.least(), ratio.most()),
                    floor(result.floor()),
                    "%.2f".formatted(result.cpuRatio().median()),
                    floor(result.cpuFloor())));
        }
        return text.toString();
    }

    private static String floor(double floor) {
        return floor == 0 ? "" : "%.2f".formatted(floor);
    }

    String json() {
        return "{\"benchmark\":\"%s\",\"when\":\"%s\",\"machine\":\"%s\",\"results\":[%s]}%n"
                .formatted(
                        benchmark,
                        when,
                        machine(),
                        results.stream().map(Report::json).collect(Collectors.joining(",")));
    }

    private static String json(Result result) {
        Result.Spread speed = result.throughput();
        Result.Spread ratio = result.ratio();
        return String.format(
                Locale.ROOT,
                "{\"group\":\"%s\",\"contender\":\"%s\",\"rounds\":%d,\"eventsPerSecond\":{\"least\":%.1f,\"median\":%.1f,"
                        + "\"most\":%.1f},\"cpuMicrosPerEvent\":%.3f,\"ratio\":{\"least\":%.3f,\"median\":%.3f,\"most\":%.3f},"
                        + "\"floor\":%.2f,\"cpuRatio\":%.3f,\"cpuFloor\":%.2f,\"passes\":%b}",
                result.group(),
                result.contender(),
                result.samples().size(),
                speed.least(),
                speed.median(),
                speed.most(),
                result.cpu().median(),
                ratio.least(),
                ratio.median(),
                ratio.most(),
                result.floor(),
                result.cpuRatio().median(),
                result.cpuFloor(),
                result.passes());
    }

    List<String> failures() {
        return results.stream()
                .filter(result -> !result.passes())
                .map(Report::failure)
                .toList();
    }

    private static String failure(Result result) {
        String sentence = "%s, %s: %.2f of the baseline, the floor is %.2f"
                .formatted(result.group(), result.contender(), result.ratio().median(), result.floor());
        return result.cpuFloor() == 0
                ? sentence
                : sentence
                        + "; its CPU per event 1/%.2f of the baseline's, the floor is 1/%.2f"
                                .formatted(result.cpuRatio().median(), result.cpuFloor());
    }

    private static String machine() {
        return Runtime.getRuntime().availableProcessors() + " cores, " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + ", JDK " + Runtime.version().feature();
    }
}
