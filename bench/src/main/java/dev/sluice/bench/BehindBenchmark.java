package dev.sluice.bench;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.model.Subscription;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Gateways that come back far behind, with the production classes on an event log on disk: the live heap while one catches up a
 * million events, and how often each event is read when a hundred come back at once.
 */
final class BehindBenchmark {
    static final String NAME = "behind";
    static final String DESCRIPTION =
            "a gateway a million events behind: live heap while it catches up; 100 behind at once: reads per event";
    static final String DETAILS = """
            First: a gateway is away while 1,000,000 events (--quick: 100,000) that its subscription matches are written and another
            gateway takes them; then it comes back. The live heap, after a full collection, is measured ten times on the way; bound:
            at most 48 MiB above the heap before. Every event must come once, in order per document. Then: 100 gateways are away
            for 30,000 events (--quick: 5,000) that all of them are owed, and come back at once; bound: each event is read at most
            twice while they catch up.""";

    private static final int LOOKS = 10;
    private static final long ROOM = 48L << 20;
    private static final int GATEWAYS = 100;
    private static final double MOST_READS = 2;

    private final int million;
    private final int shared;
    private final Consumer<String> progress;

    BehindBenchmark(Trial.Length length, Consumer<String> progress) {
        this.million = length.quick() ? 100_000 : 1_000_000;
        this.shared = length.quick() ? 5_000 : 30_000;
        this.progress = progress;
    }

    Verdict run() throws Exception {
        StringBuilder table = new StringBuilder();
        boolean flat = aMillionBehind(table);
        boolean read = aHundredBehind(table);
        return Verdict.of(table.toString(), flat && read);
    }

    private boolean aMillionBehind(StringBuilder table) throws Exception {
        try (Field field = new Field(2)) {
            CountingGateway late = field.gateway(0);
            field.away(0);
            field.world.write(million);
            progress.accept("behind: %,d events are written".formatted(million));
            RoutingWorld.await(
                    "the gateway that is well", () -> field.gateway(1).taken() >= million);
            long before = liveHeap();
            long start = System.nanoTime();
            field.back(0);
            List<String> heaps = new ArrayList<>();
            long most = 0;
            for (int look = 1; look < LOOKS; look++) {
                int reached = (int) ((long) million * look / LOOKS);
                RoutingWorld.await("the gateway that was away", () -> late.taken() >= reached);
                long now = liveHeap();
                most = Math.max(most, now);
                heaps.add("%.1f".formatted(mib(now)));
            }
            RoutingWorld.await("the gateway that was away", () -> late.taken() >= million);
            double seconds = (System.nanoTime() - start) / 1e9;
            boolean passes = most <= before + ROOM && late.findings() == 0 && late.taken() == million;
            table.append(
                    "| events behind | s, looks included | live heap before MiB | while it catches up MiB | taken | out of order |%n"
                            .formatted());
            table.append("| ---: | ---: | ---: | --- | ---: | ---: |%n".formatted());
            table.append("| %,d | %.1f | %.1f | %s | %,d | %d |%n%n"
                    .formatted(million, seconds, mib(before), String.join(", ", heaps), late.taken(), late.findings()));
            return passes;
        }
    }

    private boolean aHundredBehind(StringBuilder table) throws Exception {
        try (Field field = new Field(GATEWAYS)) {
            for (int k = 0; k < GATEWAYS; k++) {
                field.away(k);
            }
            long tailBefore = field.world.feed.read();
            field.world.write(shared);
            RoutingWorld.await("the tail", () -> field.world.feed.read() - tailBefore >= shared);
            long before = field.world.feed.read();
            progress.accept("behind: %d gateways come back".formatted(GATEWAYS));
            long start = System.nanoTime();
            for (int k = 0; k < GATEWAYS; k++) {
                field.back(k);
            }
            RoutingWorld.await("all gateways", () -> field.gateways.stream().allMatch(each -> each.taken() >= shared));
            double seconds = (System.nanoTime() - start) / 1e9;
            long read = field.world.feed.read() - before;
            long findings =
                    field.gateways.stream().mapToLong(CountingGateway::findings).sum();
            double perEvent = (double) read / shared;
            table.append("| gateways behind | events each | s | events read | reads per event | out of order |%n"
                    .formatted());
            table.append("| ---: | ---: | ---: | ---: | ---: | ---: |%n".formatted());
            table.append("| %d | %,d | %.1f | %,d | %.2f | %d |%n"
                    .formatted(GATEWAYS, shared, seconds, read, perEvent, findings));
            return perEvent <= MOST_READS && findings == 0;
        }
    }

    private static double mib(long bytes) {
        return bytes / 1048576.0;
    }

    private static long liveHeap() {
        for (int k = 0; k < 2; k++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Gateways that have one subscription each, to every event. */
    private static final class Field implements AutoCloseable {
        private final List<CountingGateway> gateways = new ArrayList<>();
        private final ExecutorService answers = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("gateways").factory());
        private final RoutingWorld world;

        Field(int count) throws Exception {
            for (int k = 0; k < count; k++) {
                gateways.add(new CountingGateway(answers));
            }
            world = new RoutingWorld(
                    address -> gateway(Integer.parseInt(address.id().substring(1))));
            for (int k = 0; k < count; k++) {
                world.gateway("g" + k);
                world.subscribe(List.of(Subscription.of("s" + k, "g" + k, "", RoutingWorld.COLLECTION, "{}")));
            }
        }

        CountingGateway gateway(int number) {
            return gateways.get(number);
        }

        void away(int number) {
            world.streamer.away("g" + number);
        }

        void back(int number) {
            world.streamer.up(RoutingWorld.address("g" + number));
        }

        @Override
        public void close() throws IOException {
            world.close();
            answers.close();
        }
    }

    /** Takes everything at once, and looks whether each document's events come in order, each once. */
    private static final class CountingGateway implements Deliverer {
        private final ExecutorService answers;
        private final int[] last = new int[RoutingWorld.DOCUMENTS];
        private int taken;
        private int findings;

        CountingGateway(ExecutorService answers) {
            this.answers = answers;
            Arrays.fill(last, -1);
        }

        synchronized int taken() {
            return taken;
        }

        synchronized int findings() {
            return findings;
        }

        @Override
        public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
            CompletableFuture<BatchOutcome> answer = new CompletableFuture<>();
            answers.execute(() -> {
                take(batch.deliveries());
                answer.complete(BatchOutcome.DELIVERED);
            });
            return answer;
        }

        private synchronized void take(List<Delivery> deliveries) {
            for (Delivery each : deliveries) {
                int number = RoutingWorld.number(each.event().event());
                int document = number % RoutingWorld.DOCUMENTS;
                // Event 0 was written before there was a subscription.
                int first = document == 0 ? RoutingWorld.DOCUMENTS : document;
                findings += number == (last[document] < 0 ? first : last[document] + RoutingWorld.DOCUMENTS) ? 0 : 1;
                last[document] = number;
                taken++;
            }
        }

        @Override
        public void close() {}
    }
}
