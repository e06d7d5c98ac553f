package dev.sluice.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * One, two and three relays on one PostgreSQL and one broker, each relay's line to the broker equally thin ({@link ThrottledSink}): what is
 * measured is whether nodes add up, not how much two cores can do. First a full table is drained; then an application writes
 * at 60 % of what so many nodes did, and the latency to a consumer is taken.
 * The drain counts from its 10th to its 90th percent.
 */
final class OutboxNodesBenchmark {
    static final String NAME = "outbox-nodes";
    static final String DESCRIPTION =
            "one, two and three relays with equally throttled broker connections: throughput and p95";

    private static final int MOST_NODES = 3;
    private static final double FLOOR = 2.7;
    private static final double P95_GROWTH = 1.1;
    private static final double HALF_A_CORE = 0.5;
    private static final int BYTES_PER_SECOND = 512 << 10;
    private static final int ROWS_PER_NODE = 40_000;
    private static final double LOAD = 0.6;
    private static final int WARM_UP_SECONDS = 5;

    private final Trial.Length length;
    private final Consumer<String> progress;

    OutboxNodesBenchmark(Trial.Length length, Consumer<String> progress) {
        this.length = length;
        this.progress = progress;
    }

    /** @param cores of the busiest relay */
    private record Row(int nodes, double eventsPerSecond, int p50, int p95, double cores) {}

    Verdict run() throws Exception {
        BenchHome home = BenchHome.find();
        List<Row> rows = new ArrayList<>();
        try (OutboxServers servers = new OutboxServers(home)) {
            for (int nodes = 1; nodes <= MOST_NODES; nodes++) {
                Row row = measure(servers, nodes, rows.isEmpty() ? 0 : rows.getFirst().eventsPerSecond);
                rows.add(row);
                progress.accept("%d nodes: %,.0f events/s, p95 %d ms, %.2f cores each"
                        .formatted(nodes, row.eventsPerSecond, row.p95, row.cores));
            }
        }
        return verdict(rows);
    }

    private Row measure(OutboxServers servers, int nodes, double oneNode) throws Exception {
        String name = "nodes-" + nodes;
        OutboxTopic topic = new OutboxTopic(servers.bootstrap(), name);
        String jdbc = servers.database(name.replace('-', '_'));
        List<SluiceNode> relays = new ArrayList<>();
        try (ExecutorService together = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int number = 1; number <= nodes; number++) {
                relays.add(SluiceNode.open(servers, topic, jdbc, "at-least-once", number, nodes, BYTES_PER_SECOND));
            }
            int rows = ROWS_PER_NODE * nodes;
            OutboxChild first = relays.getFirst().child();
            first.command("write " + rows);
            all(together, relays, "start");
            Map<TopicPartition, Long> starts = topic.ends();
            List<Long> before = all(together, relays, "cpu");
            long began = System.nanoTime();
            first.command("fill " + rows);
            all(together, relays, "wake");
            first.command("drained");
            double seconds = (System.nanoTime() - began) / 1e9;
            List<Long> after = all(together, relays, "cpu");
            OutboxTopic.Found found = topic.readFrom(starts);
            found.requireAll(name, rows);
            double speed = found.eventsPerSecond(0.1, 0.9);
            OutboxFeed feed = feed(jdbc, topic, oneNode == 0 ? speed : oneNode * nodes);
            double cores = 0;
            for (int k = 0; k < nodes; k++) {
                cores = Math.max(cores, (after.get(k) - before.get(k)) / 1e9 / seconds);
            }
            return new Row(
                    nodes,
                    speed,
                    feed.latencies().quantile(0.5),
                    feed.latencies().quantile(0.95),
                    cores);
        } finally {
            relays.forEach(SluiceNode::close);
        }
    }

    private OutboxFeed feed(String jdbc, OutboxTopic topic, double capacity) throws Exception {
        int seconds = WARM_UP_SECONDS + length.secondsOr(30, 15);
        OutboxFeed feed = new OutboxFeed(jdbc, topic, (int) (capacity * LOAD), seconds, WARM_UP_SECONDS);
        feed.start();
        long patience = System.nanoTime() + seconds * 3_000_000_000L;
        while (feed.received() < feed.total()) {
            feed.requireHealthy();
            if (System.nanoTime() > patience) {
                throw new IllegalStateException(feed.received() + " of " + feed.total() + " messages came");
            }
            Thread.sleep(20);
        }
        feed.end();
        return feed;
    }

    private static List<Long> all(ExecutorService together, List<SluiceNode> relays, String command) throws Exception {
        List<Future<Long>> answers = relays.stream()
                .map(relay -> together.submit(() -> relay.child().command(command)))
                .toList();
        List<Long> times = new ArrayList<>();
        for (Future<Long> answer : answers) {
            times.add(answer.get());
        }
        return times;
    }

    private static Verdict verdict(List<Row> rows) {
        Row one = rows.getFirst();
        StringBuilder table = new StringBuilder(
                "| relays | events/s | to one | p50 ms | p95 ms | p95 to one | cores of the busiest |%n".formatted()
                        + "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |%n".formatted());
        for (Row row : rows) {
            table.append("| %d | %,.0f | %.2f | %d | %d | %.2f | %.2f |%n"
                    .formatted(
                            row.nodes,
                            row.eventsPerSecond,
                            row.eventsPerSecond / one.eventsPerSecond,
                            row.p50,
                            row.p95,
                            (double) row.p95 / one.p95,
                            row.cores));
        }
        table.append("each relay sends at most %,.0f KiB/s; p50 and p95 at %.0f %% of that%n"
                .formatted(BYTES_PER_SECOND / 1024.0, LOAD * 100));
        List<String> failures = new ArrayList<>();
        Row most = rows.getLast();
        if (most.eventsPerSecond < FLOOR * one.eventsPerSecond) {
            failures.add("%d nodes: %.2f of one, the floor is %.1f"
                    .formatted(most.nodes, most.eventsPerSecond / one.eventsPerSecond, FLOOR));
        }
        if (most.p95 > P95_GROWTH * one.p95) {
            failures.add("%d nodes: p95 %d ms, of one %d ms".formatted(most.nodes, most.p95, one.p95));
        }
        if (one.cores > HALF_A_CORE) {
            failures.add("one relay used %.2f cores, it should be under %.1f".formatted(one.cores, HALF_A_CORE));
        }
        return new Verdict(table.toString(), "", failures);
    }
}
