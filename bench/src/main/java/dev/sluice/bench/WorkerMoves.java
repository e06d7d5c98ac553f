package dev.sluice.bench;

import io.nats.client.Connection;
import io.nats.client.Nats;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * How long a partition is not handled when it moves. Planned: three partitions on two worker processes; a third worker joins and takes
 * one, then leaves and gives one back: one move at a time. Crash: one of two processes is killed, the other takes its partitions.
 */
final class WorkerMoves {
    private static final double PLANNED_BOUND_MILLIS = 250;
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration CRASH_BOUND = LEASE.plusSeconds(2);
    private static final int MESSAGES_PER_SECOND_AND_PARTITION = 300;
    /** The first moves of a new process load classes. */
    private static final int WARM_UP_CYCLES = 2;

    private static final int POLL_MILLIS = 20;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    /** Longer than the pause between two updates of a consumer. */
    private static final Duration SETTLE = Duration.ofMillis(1_500);

    private final BenchServers servers;
    private final Consumer<String> progress;

    WorkerMoves(BenchServers servers, Consumer<String> progress) {
        this.servers = servers;
        this.progress = progress;
    }

    /** Pauses of one kind of move. */
    record Pauses(String kind, List<HandlingTimeline.Move> moves, double boundMillis) {
        double quantile(double share) {
            List<HandlingTimeline.Move> sorted = moves.stream()
                    .sorted(Comparator.comparingLong(HandlingTimeline.Move::nanos))
                    .toList();
            int rank = (int) Math.ceil(share * sorted.size());
            return sorted.get(Math.max(0, rank - 1)).millis();
        }

        List<String> failures() {
            return quantile(0.99) < boundMillis
                    ? List.of()
                    : List.of("%s: p99 of the pause %.0f ms, the bound is %.0f ms"
                            .formatted(kind, quantile(0.99), boundMillis));
        }

        String json() {
            return String.format(
                    Locale.ROOT,
                    "{\"kind\":\"%s\",\"moves\":%d,\"p50Ms\":%.0f,\"p99Ms\":%.0f,\"mostMs\":%.0f,\"boundMs\":%.0f}",
                    kind,
                    moves.size(),
                    quantile(0.5),
                    quantile(0.99),
                    quantile(1),
                    boundMillis);
        }

        String row() {
            return "| %-30s | %5d | %8.0f | %8.0f | %8.0f | %8.0f |%n"
                    .formatted(kind, moves.size(), quantile(0.5), quantile(0.99), quantile(1), boundMillis);
        }
    }

    static String table(List<Pauses> all) {
        StringBuilder text = new StringBuilder("| %-30s | %5s | %8s | %8s | %8s | %8s |%n"
                .formatted("pause of a partition", "moves", "p50 ms", "p99 ms", "most ms", "bound ms"));
        text.append("| --- | ---: | ---: | ---: | ---: | ---: |%n".formatted());
        all.forEach(pauses -> text.append(pauses.row()));
        return text.toString();
    }

    /** @param cycles each is one join and one leave */
    List<Pauses> planned(int cycles) throws Exception {
        try (Stage stage = new Stage("moves", WorkerShape.literal(3))) {
            CommandedProcess joining = stage.process("c");
            stage.start(stage.process("a"));
            stage.start(stage.process("b"));
            stage.awaitLanes();
            List<HandlingTimeline.Move> joins = new ArrayList<>();
            List<HandlingTimeline.Move> leaves = new ArrayList<>();
            for (int cycle = 0; cycle < WARM_UP_CYCLES; cycle++) {
                stage.during(() -> stage.start(joining));
                stage.during(() -> stage.stop(joining));
            }
            for (int cycle = 1; cycle <= cycles; cycle++) {
                joins.addAll(stage.during(() -> stage.start(joining)));
                leaves.addAll(stage.during(() -> stage.stop(joining)));
                progress.accept("move %d of %d: a worker joins %.0f ms, leaves %.0f ms"
                        .formatted(
                                2 * cycle,
                                2 * cycles,
                                joins.getLast().millis(),
                                leaves.getLast().millis()));
            }
            List<HandlingTimeline.Move> both = new ArrayList<>(joins);
            both.addAll(leaves);
            return List.of(
                    new Pauses("planned move", both, PLANNED_BOUND_MILLIS),
                    new Pauses("of these, a worker joins", joins, PLANNED_BOUND_MILLIS),
                    new Pauses("of these, a worker leaves", leaves, PLANNED_BOUND_MILLIS));
        }
    }

    Pauses crashes(int times) throws Exception {
        try (Stage stage = new Stage("crashes", WorkerShape.literal(8))) {
            stage.start(stage.process("a"));
            stage.start(stage.process("b"));
            stage.awaitLanes();
            List<HandlingTimeline.Move> takeovers = new ArrayList<>();
            for (int time = 1; time <= times; time++) {
                int owned = stage.lanes(stage.started.getLast())[0];
                takeovers.addAll(stage.during(owned, () -> stage.kill()));
                progress.accept("crash %d of %d: %d partitions taken over, the last after %.0f ms"
                        .formatted(
                                time,
                                times,
                                owned,
                                takeovers.stream()
                                        .mapToDouble(HandlingTimeline.Move::millis)
                                        .max()
                                        .orElse(0)));
                // Half of the partitions go to the new one.
                CommandedProcess next = stage.process("n" + time);
                stage.during(stage.shape.partitions() / 2, () -> stage.start(next));
            }
            return new Pauses("crash takeover", takeovers, CRASH_BOUND.toMillis());
        }
    }

    private interface Change {
        void make() throws Exception;
    }

    /** A stream under steady load, and the workers of one group. */
    private final class Stage implements AutoCloseable {
        final WorkerShape shape;
        final List<CommandedProcess> started = new ArrayList<>();
        private final String group;
        private final List<CommandedProcess> all = new ArrayList<>();
        private final Connection connection;
        private final HandlingTimeline timeline = new HandlingTimeline();
        private final WorkerFeed feed;
        private final AtomicBoolean enough = new AtomicBoolean();
        private final CompletableFuture<Integer> published = new CompletableFuture<>();

        Stage(String group, WorkerShape shape) throws Exception {
            this.group = group;
            this.shape = shape;
            String url = servers.address(WorkerBenchmark.SERVER);
            connection = Nats.connect(url);
            connection.jetStreamManagement().addStream(shape.stream());
            timeline.listen(connection);
            feed = new WorkerFeed(url, shape);
            WorkerFeed.Pace pace = new WorkerFeed.Pace(
                    shape.partitions() * (double) MESSAGES_PER_SECOND_AND_PARTITION, Integer.MAX_VALUE);
            Thread.ofPlatform().name("publisher").start(() -> {
                try {
                    published.complete(feed.publish(0, Integer.MAX_VALUE, pace, () -> 0, enough::get));
                } catch (Exception | Error failed) {
                    published.completeExceptionally(failed);
                }
            });
        }

        CommandedProcess process(String name) throws IOException {
            CommandedProcess process = new CommandedProcess(
                    name,
                    BenchHome.own(),
                    MovingWorkerProcess.class,
                    List.of(name, group, shape.toString(), servers.address(WorkerBenchmark.SERVER)),
                    servers.directory());
            all.add(process);
            return process;
        }

        void start(CommandedProcess process) throws IOException {
            process.command("start");
            started.add(process);
        }

        void stop(CommandedProcess process) throws IOException {
            started.remove(process);
            process.command("stop");
        }

        /**
         * Kills the worker that came last. Its partitions were handed to it; those of the other one may have had an owner that
         * died, and a partition whose owners die twice in a row is handled slowly for a minute.
         */
        void kill() throws InterruptedException {
            started.removeLast().kill();
        }

        List<HandlingTimeline.Move> during(Change change) throws Exception {
            return during(1, change);
        }

        /** The moves that a change causes: exactly so many, and then all partitions are back on durables. */
        List<HandlingTimeline.Move> during(int moves, Change change) throws Exception {
            int before = timeline.moves().size();
            change.make();
            await("so many moves: " + moves, () -> timeline.moves().size() >= before + moves);
            awaitLanes();
            Thread.sleep(SETTLE);
            List<HandlingTimeline.Move> seen = timeline.moves();
            if (seen.size() != before + moves) {
                throw new IllegalStateException("%d moves instead of %d: %s"
                        .formatted(seen.size() - before, moves, seen.subList(before, seen.size())));
            }
            return seen.subList(before, seen.size());
        }

        /** Owned partitions, and those that the durable feeds. */
        int[] lanes(CommandedProcess process) throws IOException {
            String[] words = process.command("lanes").split(" ");
            return new int[] {Integer.parseInt(words[0]), Integer.parseInt(words[1])};
        }

        void awaitLanes() throws Exception {
            await("every partition is fed by a durable", () -> {
                int fed = 0;
                for (CommandedProcess process : started) {
                    fed += lanes(process)[1];
                }
                return fed == shape.partitions();
            });
        }

        private void await(String what, java.util.concurrent.Callable<Boolean> condition) throws Exception {
            long patience = System.nanoTime() + PATIENCE_NANOS;
            while (!condition.call()) {
                if (System.nanoTime() > patience) {
                    throw new IllegalStateException("waited in vain: " + what);
                }
                if (published.isCompletedExceptionally()) {
                    published.get();
                }
                Thread.sleep(POLL_MILLIS);
            }
        }

        @Override
        public void close() throws Exception {
            enough.set(true);
            published.get();
            all.forEach(CommandedProcess::close);
            feed.close();
            connection.jetStreamManagement().deleteStream(WorkerShape.STREAM);
            connection.close();
        }
    }
}
