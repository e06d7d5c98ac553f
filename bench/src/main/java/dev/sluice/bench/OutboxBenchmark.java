package dev.sluice.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * P7: a full table drained to Kafka (acks=all, 200 bytes, 5,000 keys, synchronous_commit on) by Sluice, by two other libraries
 * and by a bare loop, in turns. A peer gets fewer rows than we do, so that everybody is measured for some seconds.
 */
final class OutboxBenchmark {
    static final String NAME = "outbox";
    static final String DESCRIPTION =
            "outbox table drained to Kafka, against namastack-outbox, gruelbox transaction-outbox and a bare loop";

    private static final double FLOOR = 25;
    private static final double EXACTLY_ONCE_FLOOR = 0.5;

    private final boolean quick;
    private final Consumer<String> progress;

    OutboxBenchmark(boolean quick, Consumer<String> progress) {
        this.quick = quick;
        this.progress = progress;
    }

    /** Those who take turns; {@code ours} does so at the beginning and at the end of a round, as A/A control. */
    private record Field(
            OutboxContender ours,
            OutboxContender exactlyOnce,
            OutboxContender namastack,
            OutboxContender gruelbox,
            OutboxContender bare) {
        List<OutboxContender> turns() {
            return List.of(ours, namastack, exactlyOnce, gruelbox, bare, ours);
        }

        void close() {
            turns().forEach(OutboxContender::close);
        }
    }

    Verdict run() throws Exception {
        BenchHome home = BenchHome.find();
        try (OutboxServers servers = new OutboxServers(home)) {
            int rows = quick ? 200_000 : 500_000;
            OutboxPeers peers = new OutboxPeers(servers, home.peers(), quick ? 5_000 : 10_000, quick, progress);
            Field field = new Field(
                    open(servers, SluiceOutbox.kind("at-least-once"), rows),
                    open(servers, SluiceOutbox.kind("exactly-once"), rows),
                    peers.namastack(),
                    peers.gruelbox(),
                    open(servers, bare(), rows));
            try {
                return verdict(field, rounds(field));
            } finally {
                field.close();
            }
        }
    }

    private static OutboxContender open(OutboxServers servers, OutboxContender.Kind kind, int rows) throws Exception {
        return OutboxContender.open(servers, BenchHome.own(), kind, "", rows);
    }

    private static OutboxContender.Kind bare() {
        return new OutboxContender.Kind(
                "bare loop, 2,000 rows", "bare", BareOutbox.class.getName(), true, Map.of("batch", "2000"));
    }

    /** One list of samples per turn. */
    private List<List<Sample>> rounds(Field field) throws Exception {
        List<List<Sample>> samples = new ArrayList<>();
        for (OutboxContender contender : field.turns()) {
            samples.add(new ArrayList<>());
            contender.round();
        }
        int rounds = quick ? 2 : Rounds.LEAST;
        for (int round = 1; round <= rounds; round++) {
            for (int turn = 0; turn < samples.size(); turn++) {
                OutboxContender contender = field.turns().get(turn);
                Sample sample = contender.round();
                samples.get(turn).add(sample);
                progress.accept("round %d of %d, %s: %,.0f events/s, %.1f CPU µs/event, %.1f s"
                        .formatted(
                                round,
                                rounds,
                                contender.name(),
                                sample.eventsPerSecond(),
                                sample.cpuMicrosPerEvent(),
                                sample.wallNanos() / 1e9));
            }
        }
        return samples;
    }

    private Verdict verdict(Field field, List<List<Sample>> samples) {
        List<Sample> better = speed(samples.get(1)) > speed(samples.get(3)) ? samples.get(1) : samples.get(3);
        List<Result> results = new ArrayList<>();
        for (int turn = 0; turn < samples.size(); turn++) {
            boolean control = turn == samples.size() - 1;
            String name = field.turns().get(turn).name() + (control ? " (A/A control)" : "");
            results.add(result("drain", name, samples.get(turn), better, turn == 0 ? FLOOR : 0));
        }
        results.add(result(
                "delivery",
                field.exactlyOnce.name() + ", to at-least-once",
                samples.get(2),
                samples.getFirst(),
                EXACTLY_ONCE_FLOOR));
        Report report = new Report(NAME, Instant.now(), results);
        return new Verdict(report.table() + notes(field), report.json(), report.failures());
    }

    private static double speed(List<Sample> samples) {
        return Result.Spread.of(samples.stream().map(Sample::eventsPerSecond).toList())
                .median();
    }

    private static Result result(String group, String name, List<Sample> samples, List<Sample> base, double floor) {
        List<Double> ratios = new ArrayList<>();
        List<Double> cpuRatios = new ArrayList<>();
        for (int round = 0; round < samples.size(); round++) {
            ratios.add(samples.get(round).eventsPerSecond() / base.get(round).eventsPerSecond());
            cpuRatios.add(
                    base.get(round).cpuMicrosPerEvent() / samples.get(round).cpuMicrosPerEvent());
        }
        return new Result(group, name, samples, ratios, cpuRatios, floor, 0);
    }

    private static String notes(Field field) {
        StringBuilder text =
                new StringBuilder("%nRatios of the drain are to the better peer. Rows per round:".formatted());
        field.turns().stream().distinct().forEach(one -> text.append(" %s %,d;".formatted(one.name(), one.rows())));
        return text.append(" all counted by a consumer, once each, in order per key (gruelbox promises no order)."
                        + " CPU is that of the library's process alone.%n".formatted())
                .toString();
    }
}
