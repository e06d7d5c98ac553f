package dev.sluice.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Heap per socket and the course of the reconnect storm, as median and range over the turns of a server. */
final class GatewayTable {
    /** Bytes of heap that a socket without traffic may take. */
    static final int MOST_IDLE_BYTES = 25_000;

    private static final double GIBIBYTE = 1 << 30;

    private final List<Row> rows = new ArrayList<>();

    private record Row(String server, boolean judged, List<GatewayTurn> turns) {
        Result.Spread spread(ToDoubleFunction<GatewayTurn> of) {
            return Result.Spread.of(turns.stream().map(of::applyAsDouble).toList());
        }

        boolean passes() {
            return !judged || spread(GatewayTurn::idleBytesPerSocket).median() <= MOST_IDLE_BYTES;
        }
    }

    /** @param judged whether the bound applies to this server */
    void add(String server, boolean judged, List<GatewayTurn> turns) {
        rows.add(new Row(server, judged, turns));
    }

    List<String> failures() {
        return rows.stream()
                .filter(row -> !row.passes())
                .map(row -> "%s: %,.0f bytes of heap per idle socket, the bound is %,d"
                        .formatted(
                                row.server,
                                row.spread(GatewayTurn::idleBytesPerSocket).median(),
                                MOST_IDLE_BYTES))
                .toList();
    }

    String json() {
        return rows.stream()
                .map(row -> String.format(
                        Locale.ROOT,
                        "{\"server\":\"%s\",\"idleBytesPerSocket\":%.0f,\"usedBytesPerSocket\":%.0f,\"stormSeconds\":"
                                + "{\"p50\":%.3f,\"p99\":%.3f,\"all\":%.3f},\"passes\":%b}",
                        row.server,
                        row.spread(GatewayTurn::idleBytesPerSocket).median(),
                        row.spread(GatewayTurn::usedBytesPerSocket).median(),
                        row.spread(turn -> turn.storm().half()).median(),
                        row.spread(turn -> turn.storm().nearly()).median(),
                        row.spread(turn -> turn.storm().all()).median(),
                        row.passes()))
                .toList()
                .toString();
    }

    /** A Markdown table. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(
                "| server | heap B per idle socket (range) | bound | idle sockets per GiB of heap | heap B per socket after"
                        + " messages | storm p50 s | p99 s | all s (range) |\n"
                        + "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        for (Row row : rows) {
            Result.Spread idle = row.spread(GatewayTurn::idleBytesPerSocket);
            Result.Spread all = row.spread(turn -> turn.storm().all());
            text.append("| %s | %,.0f (%,.0f–%,.0f) | %s | %,.0f | %,.0f | %.2f | %.2f | %.2f (%.2f–%.2f) |%n"
                    .formatted(
                            row.server,
                            idle.median(),
                            idle.least(),
                            idle.most(),
                            row.judged ? "%,d".formatted(MOST_IDLE_BYTES) : "",
                            GIBIBYTE / idle.median(),
                            row.spread(GatewayTurn::usedBytesPerSocket).median(),
                            row.spread(turn -> turn.storm().half()).median(),
                            row.spread(turn -> turn.storm().nearly()).median(),
                            all.median(),
                            all.least(),
                            all.most()));
        }
        return text.toString();
    }

    /** Describes a turn in one line, for the progress output. */
    static String line(GatewayTurn turn) {
        return ("%,.0f messages/s (CPU %.1f µs), %,.0f B of heap per idle socket, %,.0f after messages, connected %,.0f/s,"
                        + " storm over after %.2f s")
                .formatted(
                        turn.messages().eventsPerSecond(),
                        turn.messages().cpuMicrosPerEvent(),
                        turn.idleBytesPerSocket(),
                        turn.usedBytesPerSocket(),
                        turn.connect().eventsPerSecond(),
                        turn.storm().all());
    }
}
