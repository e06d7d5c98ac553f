package dev.sluice.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * P8: an application commits 10,000 messages/s, ten per transaction, while one relay in a process of its own publishes them.
 * The backlog and the table must not grow; the latency is from the commit to a consumer's hands. The first five seconds
 * do not count.
 */
final class OutboxSteadyBenchmark {
    static final String NAME = "outbox-steady";
    static final String DESCRIPTION =
            "10,000 messages/s, 10 per transaction, outbox to consumer: backlog, p50, p99 in ms, table size";

    private static final int RATE = 10_000;
    private static final int WARM_UP_ROWS = 50_000;
    private static final int WARM_UP_SECONDS = 5;
    private static final int SIZES = 24;
    /** PostgreSQL looks once a minute whether to vacuum: until then dead rows pile up, and before that nothing is said. */
    private static final int LONG_ENOUGH_SECONDS = 300;

    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private final Trial.Length length;
    private final Consumer<String> progress;

    OutboxSteadyBenchmark(Trial.Length length, Consumer<String> progress) {
        this.length = length;
        this.progress = progress;
    }

    /** Once a second: what was committed and not yet received; and the table's bytes. */
    private record Reading(int backlog, long bytes) {}

    Verdict run() throws Exception {
        int seconds = WARM_UP_SECONDS + length.secondsOr(120, 20);
        BenchHome home = BenchHome.find();
        try (OutboxServers servers = new OutboxServers(home);
                SluiceNode node = SluiceNode.open(servers, "steady", "at-least-once", 1)) {
            OutboxChild relay = node.child();
            relay.command("write " + WARM_UP_ROWS);
            relay.command("start");
            relay.command("fill " + WARM_UP_ROWS);
            relay.command("await " + WARM_UP_ROWS);
            relay.command("clear");
            long cpu = relay.command("cpu");
            OutboxFeed feed = new OutboxFeed(node.jdbc(), node.topic(), RATE, seconds, WARM_UP_SECONDS);
            long began = System.nanoTime();
            feed.start();
            List<Reading> readings = observe(feed, node.jdbc(), seconds);
            double wall = (System.nanoTime() - began) / 1e9;
            awaitAll(feed);
            feed.end();
            double cores = (relay.command("cpu") - cpu) / 1e9 / wall;
            relay.command("stop");
            return verdict(feed, readings, seconds, wall, cores);
        }
    }

    private List<Reading> observe(OutboxFeed feed, String jdbc, int seconds) throws Exception {
        List<Reading> readings = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(jdbc);
                Statement statement = connection.createStatement()) {
            long patience = System.nanoTime() + seconds * 2_000_000_000L;
            while (feed.written() < feed.total() && System.nanoTime() < patience) {
                Thread.sleep(1_000);
                feed.requireHealthy();
                readings.add(new Reading(feed.written() - feed.received(), size(statement)));
                progress.accept("%,d written, %,d behind, table %,d KiB"
                        .formatted(feed.written(), readings.getLast().backlog, readings.getLast().bytes >> 10));
            }
        }
        return readings;
    }

    private static long size(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT pg_total_relation_size('outbox_events')")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void awaitAll(OutboxFeed feed) throws InterruptedException {
        long patience = System.nanoTime() + PATIENCE_NANOS;
        while (feed.received() < feed.total() && System.nanoTime() < patience) {
            Thread.sleep(20);
        }
    }

    private static Verdict verdict(OutboxFeed feed, List<Reading> readings, int seconds, double wall, double cores) {
        List<String> failures = new ArrayList<>();
        if (feed.received() != feed.total() || feed.inversions() > 0) {
            failures.add("%,d of %,d messages came, %d out of order"
                    .formatted(feed.received(), feed.total(), feed.inversions()));
        }
        double reached = feed.written() / wall;
        if (reached < RATE * 0.98) {
            failures.add("only %,.0f messages/s could be written".formatted(reached));
        }
        int early = most(readings.subList(0, readings.size() / 2));
        int late = most(readings.subList(readings.size() / 2, readings.size()));
        if (late > Math.max(RATE, 2 * early)) {
            failures.add("the backlog grew from %,d to %,d".formatted(early, late));
        }
        long before = biggest(readings.subList(0, readings.size() / 2));
        long after = biggest(readings.subList(readings.size() / 2, readings.size()));
        if (seconds >= LONG_ENOUGH_SECONDS && after > before * 3 / 2) {
            failures.add("the table grew from %,d to %,d KiB".formatted(before >> 10, after >> 10));
        }
        String table = "| messages/s | seconds | received | p50 ms | p99 ms | most ms | backlog, most of 1st/2nd half |"
                + " table KiB, most of 1st/2nd half | relay's cores |%n".formatted()
                + "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |%n".formatted()
                + "| %,.0f | %d | %,d | %d | %d | %d | %,d/%,d | %,d/%,d | %.2f |%n"
                        .formatted(
                                reached,
                                seconds - WARM_UP_SECONDS,
                                feed.received(),
                                feed.latencies().quantile(0.5),
                                feed.latencies().quantile(0.99),
                                feed.latencies().quantile(1),
                                early,
                                late,
                                before >> 10,
                                after >> 10,
                                cores)
                + "table size over time, KiB: " + sizes(readings) + "%n".formatted();
        return new Verdict(table, "", failures);
    }

    private static int most(List<Reading> readings) {
        return readings.stream().mapToInt(Reading::backlog).max().orElse(0);
    }

    private static long biggest(List<Reading> readings) {
        return readings.stream().mapToLong(Reading::bytes).max().orElse(0);
    }

    private static String sizes(List<Reading> readings) {
        List<String> sizes = new ArrayList<>();
        int step = Math.max(1, readings.size() / SIZES);
        for (int k = step - 1; k < readings.size(); k += step) {
            sizes.add("%,d".formatted(readings.get(k).bytes >> 10));
        }
        return String.join(", ", sizes);
    }
}
