package dev.sluice.bench;

import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * P9: 25 workers in one JVM, each with a connection of its own, share the partitions of a stream; beside as many bare jnats
 * loops with the same consumers, and, for 64 partitions, one bare consumer per partition. In each turn a contender drains a
 * small backlog, is flooded (at most 50,000 messages/s), and gets messages at a steady rate that the bare loop holds. Before
 * the rounds each contender takes one turn of warm-up, whose flood is long enough for the JIT compiler. After the rounds each
 * contender drains a large backlog once: a bare loop takes more than a minute for it.
 */
final class WorkerBenchmark {
    static final String NAME = "worker";
    static final String DESCRIPTION =
            "25 JetStream workers over 2,000 partitions against bare jnats loops; planned moves; crash takeover";
    /** As {@link BenchServers} knows it. */
    static final String SERVER = "nats-newest";

    private static final int KEYS = 2_000;
    private static final int BACKLOG = 20_000;
    private static final int RAMP_SECONDS = 2;
    /** About ten seconds into its first flood, C2 still takes an eighth of the CPU of the Sluice workers. */
    private static final int WARM_UP_FLOOD_SECONDS = 30;

    private final Trial.Length length;
    private final Consumer<String> progress;

    WorkerBenchmark(Trial.Length length, Consumer<String> progress) {
        this.length = length;
        this.progress = progress;
    }

    private List<WorkerShape> shapes() {
        return length.quick()
                ? List.of(WorkerShape.hashed(64, KEYS), WorkerShape.literal(2_000))
                : List.of(WorkerShape.hashed(2_000, KEYS), WorkerShape.literal(2_000), WorkerShape.hashed(64, KEYS));
    }

    Verdict run() throws Exception {
        List<Result> results = new ArrayList<>();
        WorkerTable table = new WorkerTable();
        List<WorkerMoves.Pauses> pauses = new ArrayList<>();
        try (BenchServers servers = new BenchServers(BenchHome.find(), SERVER)) {
            WorkerMoves moves = new WorkerMoves(servers, progress);
            pauses.addAll(moves.planned(length.quick() ? 10 : 50));
            pauses.add(moves.crashes(length.quick() ? 1 : 5));
            for (WorkerShape shape : shapes()) {
                results.addAll(measure(servers, shape, table));
            }
        }
        Report report = new Report(NAME, Instant.now(), results);
        List<String> failures = new ArrayList<>(report.failures());
        pauses.forEach(each -> failures.addAll(each.failures()));
        String json = "{\"throughput\":%s,\"steady\":%s,\"moves\":[%s]}%n"
                .formatted(
                        report.json().strip(),
                        table.json(),
                        pauses.stream().map(WorkerMoves.Pauses::json).collect(Collectors.joining(",")));
        return new Verdict(report.table() + "\n" + table + "\n" + WorkerMoves.table(pauses), json, failures);
    }

    private List<Result> measure(BenchServers servers, WorkerShape shape, WorkerTable table) throws Exception {
        String url = servers.address(SERVER);
        try (Connection connection = Nats.connect(url);
                WorkerFeed feed = new WorkerFeed(url, shape);
                WorkerField field = new WorkerField(servers, shape, feed)) {
            JetStreamManagement management = connection.jetStreamManagement();
            management.addStream(shape.stream());
            Comparison comparison = new Comparison(shape, field, feed, management);
            List<List<WorkerTurn>> turns = comparison.rounds();
            List<List<WorkerTurn.Load>> catchUps = comparison.catchUps();
            management.deleteStream(WorkerShape.STREAM);
            for (int turn = 0; turn < field.turns(); turn++) {
                table.add(shape, field.name(turn), comparison.steadyRate, turns.get(turn));
            }
            List<Result> results = new ArrayList<>(field.results("backlog", loads(turns, WorkerTurn::drain)));
            results.addAll(field.results("catch-up", catchUps));
            results.addAll(field.results("flood", loads(turns, WorkerTurn::flood)));
            return results;
        }
    }

    private static List<List<WorkerTurn.Load>> loads(
            List<List<WorkerTurn>> turns, Function<WorkerTurn, WorkerTurn.Load> of) {
        return turns.stream().map(each -> each.stream().map(of).toList()).toList();
    }

    /** The rounds of one shape. */
    private final class Comparison {
        private final WorkerShape shape;
        private final WorkerField field;
        private final WorkerFeed feed;
        private final JetStreamManagement management;
        private double steadyRate;

        Comparison(WorkerShape shape, WorkerField field, WorkerFeed feed, JetStreamManagement management) {
            this.shape = shape;
            this.field = field;
            this.feed = feed;
            this.management = management;
        }

        /** Returns one list per turn of a round. */
        List<List<WorkerTurn>> rounds() throws Exception {
            warmUp();
            int seconds = length.secondsOr(6, 4);
            WorkerContender.Plan plan = new WorkerContender.Plan(BACKLOG, RAMP_SECONDS, seconds, seconds);
            List<List<WorkerTurn>> turns = new ArrayList<>();
            for (int k = 0; k < field.turns(); k++) {
                turns.add(new ArrayList<>());
            }
            int rounds = length.quick() ? 2 : Rounds.LEAST;
            for (int round = 1; round <= rounds; round++) {
                for (int k = 0; k < field.turns(); k++) {
                    turns.get(k).add(turn("round %d of %d".formatted(round, rounds), round, k, plan));
                }
            }
            return turns;
        }

        /** Lets each contender take one turn that does not count; the baseline's sets the steady rate of all. */
        private void warmUp() throws Exception {
            WorkerContender.Plan plan =
                    new WorkerContender.Plan(BACKLOG, RAMP_SECONDS, WARM_UP_FLOOD_SECONDS, length.secondsOr(6, 4));
            for (int k = 0; k < field.turns(); k++) {
                if (!field.isControl(k)) {
                    WorkerTurn turn = turn("warm-up", 0, k, plan);
                    steadyRate = steadyRate > 0 ? steadyRate : wholeThousands(turn.steady());
                }
            }
        }

        private static double wholeThousands(WorkerTurn.Load load) {
            return Math.max(1_000, Math.floor(load.sample().eventsPerSecond() / 1_000) * 1_000);
        }

        /** Lets each contender drain the large backlog once, and returns one load per turn. */
        List<List<WorkerTurn.Load>> catchUps() throws Exception {
            int backlog = length.quick() ? 50_000 : 200_000;
            List<List<WorkerTurn.Load>> loads = new ArrayList<>();
            for (int k = 0; k < field.turns(); k++) {
                fill(backlog);
                WorkerTurn.Load load = field.contender(k).catchUp("%s-all-%d".formatted(shape, k), backlog);
                loads.add(List.of(load));
                progress.accept(
                        "%s, catch-up of %,d, %s: %s".formatted(shape, backlog, field.name(k), WorkerTable.line(load)));
            }
            return loads;
        }

        private void fill(int messages) throws Exception {
            management.purgeStream(WorkerShape.STREAM);
            feed.publish(0, messages, WorkerFeed.Pace.AS_FAST_AS_POSSIBLE, () -> 0, () -> false);
        }

        private WorkerTurn turn(String name, int round, int k, WorkerContender.Plan plan) throws Exception {
            fill(plan.backlog());
            WorkerTurn turn = field.contender(k).turn("%s-%d-%d".formatted(shape, round, k), plan, steadyRate);
            progress.accept("%s, %s, %s: %s".formatted(shape, name, field.name(k), WorkerTable.line(turn)));
            return turn;
        }
    }
}
