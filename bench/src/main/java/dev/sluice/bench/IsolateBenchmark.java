package dev.sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Twenty gateways share the matches of a backlog; how fast nineteen of them get theirs while all are well, and while one
 * hangs: it takes connections and batches, and answers nothing. Afterwards the one that hung must get all it is owed.
 */
final class IsolateBenchmark implements Benchmark {
    private static final int GATEWAYS = 20;
    private static final double FLOOR = 0.95;
    private static final long PATIENCE_NANOS = 180_000_000_000L;

    private @Nullable World world;

    @Override
    public String name() {
        return "isolate";
    }

    @Override
    public String description() {
        return "1 of 20 gateways hung: what the other 19 get per second, against all 20 well";
    }

    @Override
    public List<Group> groups(boolean quick) {
        int events = quick ? 100_000 : 400_000;
        return List.of(new Group(
                "19 of 20", new Round("all well", events, false), List.of(new Round("one hung", events, true)), FLOOR));
    }

    private World world() throws Exception {
        if (world == null) {
            World made = new World();
            world = made;
            Runtime.getRuntime().addShutdownHook(new Thread(made::close, "isolate"));
        }
        return world;
    }

    private final class Round implements Contender {
        private final String name;
        private final int events;
        private final boolean hangs;

        Round(String name, int events, boolean hangs) {
            this.name = name;
            this.events = events;
            this.hangs = hangs;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Sample round() throws Exception {
            World here = world();
            if (hangs) {
                here.gate.close();
            }
            long others = here.others.get();
            long one = here.hung.get();
            long share = events / GATEWAYS;
            Contender.Stopwatch watch = Contender.Stopwatch.start();
            here.mongo.loadSpread(events);
            await(here.others, others + share * (GATEWAYS - 1));
            Sample sample = watch.stop(share * (GATEWAYS - 1));
            here.gate.open();
            // What it was owed while it hung: nothing may be missing.
            await(here.hung, one + share);
            return sample;
        }

        private void await(AtomicLong count, long owed) throws InterruptedException {
            long patience = System.nanoTime() + PATIENCE_NANOS;
            while (count.get() < owed) {
                if (System.nanoTime() > patience) {
                    throw new IllegalStateException(name + ": " + count + " of " + owed + " deliveries came.");
                }
                Thread.sleep(2);
            }
        }
    }

    /** Shut, everybody waits before it. */
    private static final class Gate {
        private final Semaphore passes = new Semaphore(Integer.MAX_VALUE);
        private boolean shut;

        synchronized void close() {
            passes.drainPermits();
            shut = true;
        }

        synchronized void open() {
            if (shut) {
                passes.release(Integer.MAX_VALUE);
                shut = false;
            }
        }

        void pass() {
            passes.acquireUninterruptibly();
            passes.release();
        }
    }

    private static final class World {
        private final LoadedMongo mongo = new LoadedMongo();
        private final ScratchDirectory directory = new ScratchDirectory();
        private final NodeProcess node = new NodeProcess(directory.path(), mongo.connection());
        private final List<BenchGateway> gateways = new ArrayList<>();
        private final AtomicLong others = new AtomicLong();
        private final AtomicLong hung = new AtomicLong();
        private final Gate gate = new Gate();

        World() throws Exception {
            int share = LoadedMongo.IDS / GATEWAYS;
            for (int k = 0; k < GATEWAYS; k++) {
                BenchGateway gateway = k == 0
                        ? BenchGateway.grpc(time -> hung.incrementAndGet(), gate::pass)
                        : BenchGateway.grpc(time -> others.incrementAndGet(), () -> {});
                gateways.add(gateway);
                node.send(
                        "PUT",
                        "/internal/v1/gateways/g" + k,
                        "{\"endpoint\":\"%s\",\"protocol\":\"grpc\"}".formatted(gateway.endpoint()));
                node.send(
                        "POST",
                        "/internal/v1/subscriptions",
                        "{\"id\":\"s%d\",\"gatewayId\":\"g%d\",\"collection\":\"%s\",\"filter\":\"{\\\"_id\\\":{\\\"$gte\\\":%d,\\\"$lt\\\":%d}}\",\"ttl\":\"1h\"}"
                                .formatted(k, k, LoadedMongo.COLLECTION, k * share, (k + 1) * share));
            }
        }

        void close() {
            gateways.forEach(BenchGateway::close);
            node.close();
            mongo.close();
            try {
                directory.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
