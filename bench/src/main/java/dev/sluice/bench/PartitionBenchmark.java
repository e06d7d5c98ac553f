package dev.sluice.bench;

import com.sun.management.ThreadMXBean;
import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.model.Subscription;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import jdk.jfr.Recording;

/**
 * One partition with 1,000 gateways in this process that acknowledge at once, on a thread of their own: how much of its
 * thread's CPU time is neither reading, nor matching, nor handing over.
 */
final class PartitionBenchmark {
    static final String NAME = "partition";
    static final String DESCRIPTION =
            "1,000 gateways, some behind: share of a partition's thread outside reading, matching, handing over";
    static final String DETAILS = """
            A Streamer of one partition in this process, 10,000 subscriptions at 1,000 gateways, 5 matches per event. 50 gateways
            are away all the time; another 50 go away and come back in halves, every second, and catch up from the log. The rows:
            a steady 1,000 and 5,000 events/s, and a backlog as fast as it goes. The thread's stack is sampled every 2 ms of its
            CPU time (Flight Recorder, JDK 25 on Linux). Markers (how far a gateway has got), settling acknowledgements and all
            else count as outside. Bound: 10 %. --seconds: of each steady row.""";

    private static final int GATEWAYS = 1_000;
    private static final int SUBSCRIPTIONS = 10_000;
    private static final int MATCHES = SUBSCRIPTIONS / RoutingWorld.DOCUMENTS;
    private static final int AWAY = 50;
    private static final int ALTERNATING = 50;
    private static final double BOUND = 10;
    private static final String THREAD = "partition-0";
    private static final int[] RATES = {1_000, 5_000};

    private final int seconds;
    private final int warmUp;
    private final int backlog;
    private final Consumer<String> progress;
    private final AtomicLong acknowledged = new AtomicLong();
    private final StringBuilder table = new StringBuilder();
    private final StringBuilder costliest = new StringBuilder();
    private boolean passes = true;

    PartitionBenchmark(Trial.Length length, Consumer<String> progress) {
        this.seconds = length.secondsOr(60, 10);
        this.warmUp = length.quick() ? 8 : 30;
        this.backlog = length.quick() ? 40_000 : 400_000;
        this.progress = progress;
    }

    Verdict run() throws Exception {
        table.append(
                "| load | events/s | deliveries | cores of the thread | samples | reading %% | matching %% | handing over %% | markers %% | settling %% | other %% | outside %% |%n"
                        .formatted());
        table.append(
                "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |%n".formatted());
        try (ExecutorService gateways = Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().daemon().name("gateways").factory());
                RoutingWorld world = new RoutingWorld(address -> new AtOnce(gateways))) {
            populate(world);
            progress.accept("partition: warming up");
            steadily(world, RATES[RATES.length - 1], warmUp);
            for (int rate : RATES) {
                measure("steady", () -> {
                    steadily(world, rate, seconds);
                    return rate * seconds;
                });
            }
            for (int k = 0; k < ALTERNATING; k++) {
                world.streamer.up(RoutingWorld.address("g" + (AWAY + k)));
            }
            // What they missed comes first.
            Thread.sleep(2_000);
            measure("backlog", () -> {
                long owed = acknowledged.get() + (long) backlog * MATCHES * (GATEWAYS - AWAY) / GATEWAYS;
                world.write(backlog);
                RoutingWorld.await("the backlog", () -> acknowledged.get() >= owed);
                return backlog;
            });
        }
        table.append("bound: %.0f %% outside. Outside, by method, %% of the thread:%n%s".formatted(BOUND, costliest));
        return Verdict.of(table.toString(), passes);
    }

    private static void populate(RoutingWorld world) {
        for (int k = 0; k < GATEWAYS; k++) {
            world.gateway("g" + k);
        }
        List<Subscription> some = new ArrayList<>();
        for (int k = 0; k < SUBSCRIPTIONS; k++) {
            some.add(Subscription.of(
                    "s" + k,
                    "g" + (7 * k + 131 * (k / RoutingWorld.DOCUMENTS)) % GATEWAYS,
                    "",
                    RoutingWorld.COLLECTION,
                    "{\"customer\":%d}".formatted(k % RoutingWorld.DOCUMENTS)));
        }
        world.subscribe(some);
        for (int k = 0; k < AWAY; k++) {
            world.streamer.away("g" + k);
        }
    }

    /** Writes to the clock, a few events every five milliseconds, while some gateways come and go. */
    private static void steadily(RoutingWorld world, int rate, int seconds) throws InterruptedException {
        long start = System.nanoTime();
        int all = rate * seconds;
        int second = 0;
        for (int written = 0; written < all; ) {
            Thread.sleep(5);
            long elapsed = System.nanoTime() - start;
            int due = (int) Math.min(all, elapsed * rate / 1_000_000_000L);
            world.write(due - written);
            written = due;
            if (elapsed / 1_000_000_000L > second) {
                second++;
                comeAndGo(world, second);
            }
        }
    }

    private static void comeAndGo(RoutingWorld world, int second) {
        for (int k = 0; k < ALTERNATING; k++) {
            String id = "g" + (AWAY + k);
            if (k % 2 == second % 2) {
                world.streamer.away(id);
            } else {
                world.streamer.up(RoutingWorld.address(id));
            }
        }
    }

    /** Runs a load. Returns how many events it had. */
    private interface Load {
        int run() throws Exception;
    }

    private void measure(String name, Load load) throws Exception {
        long before = acknowledged.get();
        long thread = threadId();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Recording recording = ThreadShares.start();
        long cpu = threads.getThreadCpuTime(thread);
        long start = System.nanoTime();
        int events = load.run();
        long nanos = System.nanoTime() - start;
        double cores = (double) (threads.getThreadCpuTime(thread) - cpu) / nanos;
        ThreadShares shares = ThreadShares.of(recording, THREAD);
        double outside = shares.outside();
        passes &= shares.samples() > 0 && outside <= BOUND;
        String row = "| %s | %,.0f | %,d | %.2f | %,d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |%n"
                .formatted(
                        name,
                        events * 1e9 / nanos,
                        acknowledged.get() - before,
                        cores,
                        shares.samples(),
                        shares.share(ThreadShares.Part.READING),
                        shares.share(ThreadShares.Part.MATCHING),
                        shares.share(ThreadShares.Part.HANDING_OVER),
                        shares.share(ThreadShares.Part.MARKERS),
                        shares.share(ThreadShares.Part.SETTLING),
                        shares.share(ThreadShares.Part.OTHER),
                        outside);
        progress.accept(row.strip());
        table.append(row);
        costliest.append("%s, %,.0f/s: %s%n".formatted(name, events * 1e9 / nanos, shares.costliest()));
    }

    private static long threadId() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(each -> each != null && each.getThreadName().equals(THREAD))
                .findFirst()
                .orElseThrow()
                .getThreadId();
    }

    /** Acknowledges everything, on the gateways' thread: what becomes of an answer is not the partition's work. */
    private final class AtOnce implements Deliverer {
        private final ExecutorService gateways;

        AtOnce(ExecutorService gateways) {
            this.gateways = gateways;
        }

        @Override
        public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
            CompletableFuture<BatchOutcome> answer = new CompletableFuture<>();
            gateways.execute(() -> {
                acknowledged.addAndGet(batch.deliveries().size());
                answer.complete(BatchOutcome.DELIVERED);
            });
            return answer;
        }

        @Override
        public void close() {}
    }
}
