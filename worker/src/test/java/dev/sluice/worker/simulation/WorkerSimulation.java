package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Scenario;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Two to four workers share a few partitions of a stream, under everything that may go wrong: crashes between any two
 * calls, freezes beyond the lease, lost connections, deliveries and acknowledgements, undecided calls, a store that is away,
 * servers that restart or hand their consumers to another leader, handlers that are slow, fail or never succeed, and workers
 * that come and go. What the ledger finds is checked after every step, what must hold in the end, in the end.
 */
final class WorkerSimulation implements Scenario {
    private static final Duration TROUBLE = Duration.ofSeconds(40);
    private static final Duration SLICE = Duration.ofSeconds(5);
    private static final int SLICES_TO_RECOVER = 24;

    /** Longer than the two minutes in which a worker waits for a consumer whose creation had no answer. */
    private static final int SLICES_TO_SETTLE = 27;

    private final Retention retention;
    private final ConsumerMode mode;
    private final SimulatedWorker.Engine engine;
    private final boolean strict;
    private final boolean migrates;
    private final Map<String, Long> tally = new TreeMap<>();

    /** @param strict fails at the first message that is lost or out of order; else both are only counted */
    WorkerSimulation(Retention retention, ConsumerMode mode, SimulatedWorker.Engine engine, boolean strict) {
        this(retention, mode, engine, strict, false);
    }

    /** @param migrates whether an operator changes the consumer mode of the group now and then */
    WorkerSimulation(
            Retention retention, ConsumerMode mode, SimulatedWorker.Engine engine, boolean strict, boolean migrates) {
        this.retention = retention;
        this.mode = mode;
        this.engine = engine;
        this.strict = strict;
        this.migrates = migrates;
    }

    /** How often what has happened in all plays: whether the schedules get to where it hurts. */
    Map<String, Long> tally() {
        return tally;
    }

    @Override
    public void play(Simulation simulation) {
        new Play(simulation).play();
    }

    private final class Play {
        private final Simulation simulation;
        private final WorkerWorld world;
        private final List<SimulatedProcess> workers = new ArrayList<>();
        private boolean publishing = true;

        Play(Simulation simulation) {
            this.simulation = simulation;
            this.world = new WorkerWorld(simulation, retention, mode);
        }

        void play() {
            int size = simulation.random().nextInt(2, 5);
            for (int i = 0; i < size; i++) {
                workers.add(new SimulatedProcess("w" + i, world, engine));
            }
            if (strict) {
                simulation.invariant("order and tokens", this::noFaults);
                world.jetStream.server.onErased(this::checkHandled);
            }
            backlog();
            world.subjects.forEach(this::publishOn);
            if (migrates) {
                new MigratingOperator(world, tally, () -> publishing);
            }
            WorkerNemesis nemesis = new WorkerNemesis(world, workers, tally);
            simulation.run(simulation.between(Duration.ZERO, SLICE));
            world.isBad();
            nemesis.start();
            simulation.run(TROUBLE);
            nemesis.mendAll();
            simulation.run(SLICE);
            publishing = false;
            recover();
            sumUp();
        }

        private boolean noFaults() {
            if (!world.ledger.faults().isEmpty()) {
                throw new AssertionError(world.ledger.faults().getFirst());
            }
            return true;
        }

        private void checkHandled(ModelMessage erased) {
            if (!world.ledger.isSettled(erased.subject(), erased.sequence())) {
                throw new AssertionError("message " + erased.sequence() + " of " + erased.subject()
                        + " leaves the stream and is not handled");
            }
        }

        private void backlog() {
            if (retention != Retention.INTEREST && simulation.chance(0.7)) {
                int messages = simulation.random().nextInt(200);
                for (int i = 0; i < messages; i++) {
                    publish(simulation.pick(world.subjects));
                }
            }
        }

        private void publishOn(String subject) {
            Duration pause = simulation.between(Duration.ofMillis(200), Duration.ofMillis(2_000));
            simulation.every(pause, "publisher", () -> {
                if (publishing && isHeard(subject)) {
                    publish(subject);
                }
            });
        }

        /** On an interest stream nothing is kept before the first worker has asked for it. */
        private boolean isHeard(String subject) {
            return retention != Retention.INTEREST
                    || world.ledger.knows(subject)
                    || world.jetStream.server.isWanted(subject);
        }

        private void publish(String subject) {
            long sequence = world.jetStream.publish(subject);
            if (sequence > 0) {
                world.ledger.published(subject, sequence);
            }
        }

        /** Everything is handled in the end, what is published then, too, and no consumer is left over. */
        private void recover() {
            runUntil(() -> world.ledger.open().isEmpty());
            if (strict) {
                requireHandled("although all trouble is over");
                runUntil(this::isFed);
                if (!isFed()) {
                    throw new AssertionError(
                            "a partition is without a consumer although all trouble is over: " + consumers());
                }
                world.subjects.forEach(this::publish);
                runUntil(() -> world.ledger.open().isEmpty());
                requireHandled("of what was published after all trouble");
                runUntil(SLICES_TO_SETTLE, this::isSettled);
                if (!isSettled()) {
                    throw new AssertionError("consumers " + consumers() + ", of which " + inUse() + " are in use, for "
                            + owners().size() + " workers with " + world.subjects.size()
                            + " partitions although all trouble is over");
                }
            }
        }

        /** An interest stream keeps no message of a partition that never had a consumer. */
        private boolean isFed() {
            return world.subjects.stream().allMatch(world.jetStream.server::isWanted);
        }

        private void runUntil(BooleanSupplier holds) {
            runUntil(SLICES_TO_RECOVER, holds);
        }

        private void runUntil(int slices, BooleanSupplier holds) {
            for (int i = 0; i < slices && !holds.getAsBoolean(); i++) {
                simulation.run(SLICE);
            }
        }

        private void requireHandled(String when) {
            if (!world.ledger.open().isEmpty()) {
                throw new AssertionError("never handled " + when + ": " + world.ledger.open());
            }
        }

        /**
         * Every consumer on the server is in use by a living worker, every partition has exactly one, and there are as many as
         * owners, or as partitions in that mode. On a work queue a worker keeps a few partitions on consumers of their own.
         */
        private boolean isSettled() {
            boolean once = world.subjects.stream().allMatch(subject -> world.jetStream.server.wanting(subject) == 1);
            return once && consumers().equals(inUse()) && isExpected(consumers().size());
        }

        private boolean isExpected(int consumers) {
            int least = 0;
            int most = 0;
            for (SimulatedWorker owner : owners()) {
                int needed = owner.hasConsumerPerPartition() ? owner.owned() : 1;
                boolean mayHaveSingles = retention == Retention.WORK_QUEUE && !owner.hasConsumerPerPartition();
                least += needed;
                most += needed + (mayHaveSingles ? world.settings.maxSingles() : 0);
            }
            return least <= consumers && consumers <= most;
        }

        private Set<String> consumers() {
            return new TreeSet<>(world.jetStream.server.names(WorkerWorld.PREFIX + "-"));
        }

        private Set<String> inUse() {
            Set<String> used = new TreeSet<>();
            living().forEach(worker -> used.addAll(worker.consumers()));
            return used;
        }

        private List<SimulatedWorker> owners() {
            return living().filter(worker -> worker.owned() > 0).toList();
        }

        private Stream<SimulatedWorker> living() {
            return workers.stream().flatMap(worker -> Stream.ofNullable(worker.worker()));
        }

        private void sumUp() {
            SimulatedLedger ledger = world.ledger;
            count("published", ledger.published());
            count("handled", ledger.handled());
            count("repeated", ledger.repeated());
            count("stale", ledger.stale());
            count("dead letters", ledger.deadLettered());
            count("lost", ledger.open().values().stream().mapToInt(List::size).sum());
            count("reordered", ledger.reordered());
        }

        private void count(String what, long times) {
            tally.merge(what, times, Long::sum);
        }
    }
}
