package dev.sluice.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * One gateway with 10,000 subscriptions, one of which it answers <em>later</em> for two minutes: latency and throughput of the
 * other 9,999, in turns with an equal load while all are well. Puller and Streamer are one process, devmongo another; the
 * gateway is here. Latency is from the source's wall clock to the gateway.
 */
final class StuckBenchmark {
    static final String NAME = "stuck";
    static final String DESCRIPTION =
            "1 of 10,000 subscriptions of a gateway answered later for two minutes: latency of the others, against all well";
    static final String DETAILS = """
            Turns: well, stuck, well, stuck, well (--quick: well, stuck, well), 2,000 events/s, two matches each; the one that is
            stuck is owed every tenth event besides, and must get all of them when it is well again, or the run fails. Latencies
            are of slices of ten seconds (--quick: five). Verdict: the median slice while one is stuck must not be above the upper
            quartile of the slices while all are well (the A/A control), neither in p50 nor in p99, and the others get at least
            0.99 of the control's deliveries per second. --seconds: length of a turn with one stuck.""";

    private static final int RATE = 2_000;
    private static final int OTHERS = 9_999;
    private static final int PER_CALL = 1_000;
    private static final int OF_THE_STUCK = LoadedMongo.IDS / 10;
    private static final double LEAST_THROUGHPUT = 0.99;
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    private final int well;
    private final int stuck;
    private final int warmUp;
    private final int slice;
    private final int pairs;
    private final Consumer<String> progress;
    private final List<Turn> turns = new ArrayList<>();

    /** The result of one turn; the slices of the first five seconds of a stuck one count, too. */
    private record Turn(boolean stuck, int seconds, double perSecond, long later, List<LatencyHistogram> slices) {}

    StuckBenchmark(Trial.Length length, Consumer<String> progress) {
        this.well = length.quick() ? 10 : 60;
        this.stuck = length.secondsOr(120, 15);
        this.warmUp = length.quick() ? 10 : 20;
        this.slice = length.quick() ? 5 : 10;
        this.pairs = length.quick() ? 1 : 2;
        this.progress = progress;
    }

    Verdict run() throws Exception {
        try (LoadedMongo mongo = new LoadedMongo();
                ScratchDirectory directory = new ScratchDirectory();
                NodeProcess node = new NodeProcess(directory.path(), mongo.connection());
                LaterGateway gateway = new LaterGateway("stuck")) {
            register(node, gateway);
            turn(mongo, gateway, false, warmUp);
            turns.clear();
            turn(mongo, gateway, false, well);
            for (int k = 0; k < pairs; k++) {
                turn(mongo, gateway, true, stuck);
                turn(mongo, gateway, false, well);
            }
        }
        return verdict();
    }

    private static void register(NodeProcess node, LaterGateway gateway) throws Exception {
        node.send(
                "PUT",
                "/internal/v1/gateways/g",
                "{\"endpoint\":\"%s\",\"protocol\":\"grpc\"}".formatted(gateway.endpoint()));
        List<String> batch = new ArrayList<>();
        batch.add(subscription("stuck", "{\\\"_id\\\":{\\\"$lt\\\":%d}}".formatted(OF_THE_STUCK)));
        for (int n = 0; n < OTHERS; n++) {
            batch.add(subscription("s" + n, "{\\\"_id\\\":%d}".formatted(n % LoadedMongo.IDS)));
            if (batch.size() == PER_CALL) {
                node.send("POST", "/internal/v1/subscriptions", batch.toString());
                batch.clear();
            }
        }
    }

    private static String subscription(String id, String filter) {
        return "{\"id\":\"%s\",\"gatewayId\":\"g\",\"collection\":\"%s\",\"filter\":\"%s\",\"ttl\":\"1h\"}"
                .formatted(id, LoadedMongo.COLLECTION, filter);
    }

    private void turn(LoadedMongo mongo, LaterGateway gateway, boolean isStuck, int seconds) throws Exception {
        int cycles = RATE * seconds / LoadedMongo.IDS;
        long laterBefore = gateway.later();
        long othersBefore = gateway.others();
        gateway.begin(isStuck, slice, seconds);
        long start = System.nanoTime();
        mongo.loadSteadily(RATE, seconds);
        long owed = othersBefore + (long) cycles * OTHERS;
        await("the others' deliveries", () -> gateway.others() >= owed);
        double perSecond = (owed - othersBefore) * 1e9 / (System.nanoTime() - start);
        turns.add(new Turn(isStuck, seconds, perSecond, gateway.later() - laterBefore, gateway.slices()));
        gateway.end();
        int toTheStuck = gateway.owe(cycles * OF_THE_STUCK);
        await("what the stuck subscription is owed", () -> gateway.told() >= toTheStuck);
        progress.accept("stuck: %s, %d s, others %,.0f/s, %,d answers later"
                .formatted(isStuck ? "one stuck" : "all well", seconds, perSecond, turns.getLast().later));
    }

    private static void await(String what, BooleanSupplier reached) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("waited too long for " + what);
            }
            Thread.sleep(2);
        }
    }

    private Verdict verdict() {
        StringBuilder table = new StringBuilder(
                "| turn | seconds | others/s | later answers | p50 ms, median slice (range) | p99 ms, median slice (range) |%n"
                                .formatted()
                        + "| --- | ---: | ---: | ---: | ---: | ---: |%n".formatted());
        for (Turn each : turns) {
            table.append("| %s | %d | %,.0f | %,d | %s | %s |%n"
                    .formatted(
                            each.stuck ? "**one stuck**" : "all well",
                            each.seconds,
                            each.perSecond,
                            each.later,
                            text(latencies(List.of(each), 0.5)),
                            text(latencies(List.of(each), 0.99))));
        }
        List<Turn> control = turns.stream().filter(each -> !each.stuck).toList();
        List<Turn> measured = turns.stream().filter(each -> each.stuck).toList();
        boolean passes = true;
        for (double quantile : new double[] {0.5, 0.99}) {
            double bound = upperQuartile(latencies(control, quantile));
            double median = Result.Spread.of(latencies(measured, quantile)).median();
            passes &= median <= bound;
            table.append("p%.0f: median slice while one is stuck %.1f ms, upper quartile of the control %.1f ms: %s%n"
                    .formatted(quantile * 100, median, bound, median <= bound ? "within" : "**above**"));
        }
        double ratio = perSecond(measured) / perSecond(control);
        passes &= ratio >= LEAST_THROUGHPUT && measured.stream().allMatch(each -> each.later > 0);
        return Verdict.of(
                table.append("deliveries/s of the others to the control's: %.3f, floor %.2f%n"
                                .formatted(ratio, LEAST_THROUGHPUT))
                        .toString(),
                passes);
    }

    private static String text(List<Double> slices) {
        Result.Spread spread = Result.Spread.of(slices);
        return "%.1f (%.0f–%.0f)".formatted(spread.median(), spread.least(), spread.most());
    }

    private static double perSecond(List<Turn> some) {
        return Result.Spread.of(some.stream().map(Turn::perSecond).toList()).median();
    }

    private static List<Double> latencies(List<Turn> some, double quantile) {
        ToIntFunction<LatencyHistogram> latency = slice -> slice.quantile(quantile);
        return some.stream()
                .flatMap(each -> each.slices.stream())
                .map(each -> (double) latency.applyAsInt(each))
                .toList();
    }

    private static double upperQuartile(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get((int) Math.ceil(0.75 * sorted.size()) - 1);
    }
}
