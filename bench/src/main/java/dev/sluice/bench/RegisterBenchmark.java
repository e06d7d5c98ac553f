package dev.sluice.bench;

import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.StreamerGrpcServer;
import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.model.Places;
import dev.sluice.net.ListenAddress;
import dev.sluice.rocksdb.RocksSubscriptions;
import dev.sluice.subscribe.ControlPlane;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.StreamProgress;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import dev.sluice.subscribe.SubscriptionStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A million subscriptions of a hundred gateways, registered by gRPC in batches, each of them one synced write; then how
 * long a restart takes to have them back, and what they cost of the heap. The bound is the issue's: under 60 s.
 */
final class RegisterBenchmark {
    static final String NAME = "register";
    static final String DESCRIPTION =
            "1,000,000 subscriptions by gRPC in batches, kept on disk: seconds, and of a restart";

    private static final int BATCH = 2_000;
    private static final int GATEWAYS = 100;
    private static final int TENANTS = 50;
    private static final int CALLERS = 4;
    private static final double BOUND_SECONDS = 60;

    /** What came of it; as a Markdown table. */
    record Outcome(int subscriptions, double seconds, double restartSeconds, long heapEach) {
        /** A smaller run has as much less time. */
        private double bound() {
            return BOUND_SECONDS * subscriptions / 1e6;
        }

        boolean passes() {
            return seconds < bound();
        }

        String table() {
            return "| subscriptions | registered in s | bound s | per second | restart s | heap B each |%n".formatted()
                    + "| ---: | ---: | ---: | ---: | ---: | ---: |%n".formatted()
                    + "| %,d | %.1f | %.0f | %,.0f | %.1f | %d |%n"
                            .formatted(
                                    subscriptions, seconds, bound(), subscriptions / seconds, restartSeconds, heapEach);
        }
    }

    Outcome run(boolean quick) throws Exception {
        int count = quick ? 200_000 : 1_000_000;
        try (ScratchDirectory directory = new ScratchDirectory()) {
            long before = liveHeap();
            Registered registered = register(directory.path(), count);
            long begun = System.nanoTime();
            try (SubscriptionStore store = new RocksSubscriptions(directory.path())) {
                SubscriptionRegistry again = registry(store, gateways(store));
                double restart = (System.nanoTime() - begun) / 1e9;
                requireAll(again.size(), count);
                return new Outcome(count, registered.seconds, restart, (registered.heap - before) / count);
            }
        }
    }

    private record Registered(double seconds, long heap) {}

    private static Registered register(Path directory, int count) throws Exception {
        try (SubscriptionStore store = new RocksSubscriptions(directory)) {
            GatewayRegistry gateways = gateways(store);
            SubscriptionRegistry registry = registry(store, gateways);
            ControlPlane control = new ControlPlane(registry, gateways, StreamProgress.UNKNOWN);
            try (StreamerGrpcServer server =
                    StreamerGrpcServer.start(ListenAddress.loopback(0), ServerSecurity.NONE, control)) {
                long begun = System.nanoTime();
                call(server.port(), count);
                double seconds = (System.nanoTime() - begun) / 1e9;
                requireAll(registry.size(), count);
                return new Registered(seconds, liveHeap());
            }
        }
    }

    private static GatewayRegistry gateways(SubscriptionStore store) {
        return new GatewayRegistry(GatewayLeases.DEFAULT, store, System::nanoTime);
    }

    private static SubscriptionRegistry registry(SubscriptionStore store, GatewayRegistry gateways) {
        return new SubscriptionRegistry(
                SubscriptionQuotas.DEFAULT,
                store,
                gateways,
                System::nanoTime,
                new Homes(Homes.Unclaimed.WAIT),
                () -> Places.OLDEST,
                InstantSource.system());
    }

    private static void call(int port, int count) throws Exception {
        AtomicInteger next = new AtomicInteger();
        try (RegistrationCalls calls = new RegistrationCalls(port, RegisterBenchmark::subscription);
                ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int k = 0; k < CALLERS; k++) {
                running.add(callers.submit(() -> registerBatches(calls, next, count)));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    private static void registerBatches(RegistrationCalls calls, AtomicInteger next, int count) {
        for (int from = next.getAndAdd(BATCH); from < count; from = next.getAndAdd(BATCH)) {
            RegistrationCalls.Refused refused = calls.register(from, Math.min(count, from + BATCH));
            if (refused.count() > 0) {
                throw new IllegalStateException("refused: " + refused.firstReason());
            }
        }
    }

    private static Subscription subscription(int number) {
        return Subscription.newBuilder()
                .setId("subscription-" + number)
                .setGatewayId("gateway-" + number % GATEWAYS)
                .setTenant("tenant-" + number % TENANTS)
                .setCollection("orders-" + number % 20)
                .setFilter("{\"region\":\"region-" + number % 10 + "\",\"customer\":\"customer-" + number / 5 + "\"}")
                .build();
    }

    private static void requireAll(int found, int count) {
        if (found != count) {
            throw new IllegalStateException(found + " subscriptions are there, not " + count);
        }
    }

    private static long liveHeap() {
        for (int k = 0; k < 3; k++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
