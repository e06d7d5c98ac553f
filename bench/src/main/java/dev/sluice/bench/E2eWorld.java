package dev.sluice.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code e2e} measures: devmongo in a process of its own, Puller and Streamer in another, four gateways (two gRPC, two
 * HTTP/2) in this one, and subscriptions such that every event has the same number of matches. Stretches of load follow one
 * another in it.
 */
final class E2eWorld implements AutoCloseable {
    private static final int GATEWAYS = 4;
    private static final int PER_CALL = 1_000;
    private static final long DRAIN_NANOS = 30_000_000_000L;

    private final int matches;
    private final ScratchDirectory directory;
    private final LoadedMongo mongo;
    private final NodeProcess node;
    private final List<BenchGateway> gateways = new ArrayList<>();
    private final E2eTimes times = new E2eTimes();

    /** @param matches of each event */
    E2eWorld(int matches) throws Exception {
        this.matches = matches;
        this.directory = new ScratchDirectory();
        this.mongo = new LoadedMongo();
        this.node = node(directory, mongo);
        try {
            for (int k = 0; k < GATEWAYS; k++) {
                gateways.add(k % 2 == 0 ? BenchGateway.grpc(times::add, () -> {}) : BenchGateway.http(times::add));
            }
            register();
        } catch (Throwable failed) {
            close();
            throw failed;
        }
    }

    private static NodeProcess node(ScratchDirectory directory, LoadedMongo mongo) throws Exception {
        try {
            return new NodeProcess(directory.path(), mongo.connection());
        } catch (Throwable failed) {
            mongo.close();
            throw failed;
        }
    }

    NodeProcess node() {
        return node;
    }

    static String gatewayId(int number) {
        return "g" + number % GATEWAYS;
    }

    /** Subscriptions of one document are spread over the gateways. */
    private void register() throws Exception {
        for (int k = 0; k < GATEWAYS; k++) {
            BenchGateway gateway = gateways.get(k);
            node.send(
                    "PUT",
                    "/internal/v1/gateways/" + gatewayId(k),
                    "{\"endpoint\":\"%s\",\"protocol\":\"%s\"}".formatted(gateway.endpoint(), gateway.protocol()));
        }
        List<String> batch = new ArrayList<>();
        for (int n = 0; n < LoadedMongo.IDS * matches; n++) {
            int document = n % LoadedMongo.IDS;
            batch.add(
                    "{\"id\":\"s%d\",\"gatewayId\":\"%s\",\"collection\":\"%s\",\"filter\":\"{\\\"_id\\\":%d}\",\"ttl\":\"1h\"}"
                            .formatted(n, gatewayId(document + n / LoadedMongo.IDS), LoadedMongo.COLLECTION, document));
            if (batch.size() == PER_CALL) {
                node.send("POST", "/internal/v1/subscriptions", batch.toString());
                batch.clear();
            }
        }
    }

    /**
     * Writes at this rate and waits until the gateways have what they are owed, up to 30 s longer than the writing took.
     *
     * @param warmUp seconds at the beginning whose latency does not count
     * @param seconds measured after them
     */
    E2eStretch stretch(int rate, int warmUp, int seconds) throws Exception {
        int all = warmUp + seconds;
        long start = System.currentTimeMillis();
        times.restart(start + warmUp * 1000L, start + warmUp * 1000L + seconds * 500L);
        CpuShares before = shares();
        long begun = System.nanoTime();
        long writing = mongo.loadSteadily(rate, all);
        long expected = (long) rate * all * matches;
        long patience = System.nanoTime() + DRAIN_NANOS;
        while (times.received() < expected && System.nanoTime() < patience) {
            Thread.sleep(20);
        }
        CpuShares used = shares().minus(before);
        return new E2eStretch(
                rate,
                (int) Math.round(rate * (all * 1e9 / Math.max(writing, all * 1e9))),
                matches,
                seconds,
                expected,
                times.received(),
                times.latency(),
                used.node() / 1e3 / rate / all,
                used.over(System.nanoTime() - begun));
    }

    private CpuShares shares() {
        return new CpuShares(
                node.cpuNanos(),
                mongo.cpuNanos(),
                ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos());
    }

    @Override
    public void close() {
        gateways.forEach(BenchGateway::close);
        node.close();
        mongo.close();
        try {
            directory.close();
        } catch (IOException inUse) {
            // A process that was killed may still write; the system clears its temporary files.
        }
    }
}
