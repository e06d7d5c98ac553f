package dev.sluice.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * From the source's wall clock to the gateways: devmongo → Puller → log → match → four gateways (two gRPC, two HTTP/2), with
 * 10,000 subscriptions of which each event answers two. A row per rate; the first ten seconds are left out. Puller and
 * Streamer are one process, devmongo another, the gateways are here.
 */
final class E2eBenchmark {
    static final String NAME = "e2e";
    static final String DESCRIPTION =
            "5,000 and 10,000 events/s from the source to four gateways' acknowledgement (gRPC, HTTP/2): p50, p99 in ms";

    private static final int[] RATES = {5_000, 10_000};
    private static final int GATEWAYS = 4;
    private static final int MATCHES = 2;
    private static final int PER_CALL = 1_000;
    private static final int WARM_UP_SECONDS = 10;
    private static final int BOUND_P50 = 10;
    private static final int BOUND_P99 = 100;
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    record Row(
            int rate, int seconds, long expected, long received, int p50, int p99, int p99Late, int most, double cpu) {
        /** It does not grow: the second half is no slower than twice the whole. */
        boolean passes() {
            return received >= expected && p50 <= BOUND_P50 && p99 <= BOUND_P99 && p99Late <= BOUND_P99;
        }
    }

    record Outcome(List<Row> rows) {
        boolean passes() {
            return rows.stream().allMatch(Row::passes);
        }

        String table() {
            StringBuilder text = new StringBuilder(
                    "| events/s | seconds | matches owed | received | p50 ms | p99 ms | p99 of the second half | most ms | CPU µs/event |%n"
                                    .formatted()
                            + "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |%n".formatted());
            for (Row row : rows) {
                text.append("| %,d | %d | %,d | %,d | %d | %d | %d | %d | %.1f |%n"
                        .formatted(
                                row.rate,
                                row.seconds,
                                row.expected,
                                row.received,
                                row.p50,
                                row.p99,
                                row.p99Late,
                                row.most,
                                row.cpu));
            }
            return text.append("bounds: p50 %d ms, p99 %d ms%n".formatted(BOUND_P50, BOUND_P99))
                    .toString();
        }
    }

    Outcome run(boolean quick) throws Exception {
        List<Row> rows = new ArrayList<>();
        for (int rate : RATES) {
            rows.add(run(rate, WARM_UP_SECONDS + (quick ? 15 : 120)));
        }
        return new Outcome(rows);
    }

    private static Row run(int rate, int seconds) throws Exception {
        long start = System.currentTimeMillis();
        Times times = new Times();
        try (LoadedMongo mongo = new LoadedMongo();
                ScratchDirectory directory = new ScratchDirectory();
                NodeProcess node = new NodeProcess(directory.path(), mongo.connection())) {
            List<BenchGateway> gateways = new ArrayList<>();
            try {
                for (int k = 0; k < GATEWAYS; k++) {
                    gateways.add(k % 2 == 0 ? BenchGateway.grpc(times::add, () -> {}) : BenchGateway.http(times::add));
                }
                register(node, gateways);
                start = System.currentTimeMillis();
                times.countFrom(start + WARM_UP_SECONDS * 1000L, start + seconds * 500L + WARM_UP_SECONDS * 500L);
                long cpu = node.cpuNanos();
                mongo.loadSteadily(rate, seconds);
                long expected = (long) rate * seconds * MATCHES;
                long patience = System.nanoTime() + PATIENCE_NANOS;
                while (times.all.received() < expected && System.nanoTime() < patience) {
                    Thread.sleep(20);
                }
                return new Row(
                        rate,
                        seconds - WARM_UP_SECONDS,
                        expected,
                        times.all.received(),
                        times.all.quantile(0.5),
                        times.all.quantile(0.99),
                        times.late.quantile(0.99),
                        times.all.quantile(1),
                        (node.cpuNanos() - cpu) / 1e3 / rate / seconds);
            } finally {
                gateways.forEach(BenchGateway::close);
            }
        }
    }

    /** Two subscriptions per document, each at another gateway. */
    private static void register(NodeProcess node, List<BenchGateway> gateways) throws Exception {
        for (int k = 0; k < gateways.size(); k++) {
            BenchGateway gateway = gateways.get(k);
            node.send(
                    "PUT",
                    "/internal/v1/gateways/g" + k,
                    "{\"endpoint\":\"%s\",\"protocol\":\"%s\"}".formatted(gateway.endpoint(), gateway.protocol()));
        }
        List<String> batch = new ArrayList<>();
        for (int n = 0; n < LoadedMongo.IDS * MATCHES; n++) {
            int document = n % LoadedMongo.IDS;
            int gateway = (document + n / LoadedMongo.IDS) % gateways.size();
            batch.add("{\"id\":\"s%d\",\"gatewayId\":\"g%d\",\"collection\":\"%s\",\"filter\":\"{\\\"_id\\\":%d}\"}"
                    .formatted(n, gateway, LoadedMongo.COLLECTION, document));
            if (batch.size() == PER_CALL) {
                node.send("POST", "/internal/v1/subscriptions", batch.toString());
                batch.clear();
            }
        }
    }

    /** All that count, and those of the second half. */
    private static final class Times {
        private volatile LatencyHistogram all = new LatencyHistogram(Long.MAX_VALUE);
        private volatile LatencyHistogram late = new LatencyHistogram(Long.MAX_VALUE);

        void countFrom(long time, long half) {
            late = new LatencyHistogram(half);
            all = new LatencyHistogram(time);
        }

        void add(long sourceTime) {
            all.add(sourceTime);
            late.add(sourceTime);
        }
    }
}
