package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Scenario;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

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

    private final Retention retention;
    private final ConsumerMode mode;
    private final SimulatedWorker.Engine engine;
    private final boolean strict;
    private final Map<String, Long> tally = new TreeMap<>();

    /** @param strict fails at the first message that is lost or out of order; else both are only counted */
    WorkerSimulation(Retention retention, ConsumerMode mode, SimulatedWorker.Engine engine, boolean strict) {
        this.retention = retention;
        this.mode = mode;
        this.engine = engine;
        this.strict = strict;
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
                world.subjects.forEach(this::publish);
                runUntil(() -> world.ledger.open().isEmpty());
                requireHandled("of what was published after all trouble");
                runUntil(this::isSettled);
                if (!isSettled()) {
                    throw new AssertionError("consumers " + consumers() + " for " + owners().size() + " workers with "
                            + world.subjects.size() + " partitions although all trouble is over");
                }
            }
        }

        private void runUntil(BooleanSupplier holds) {
            for (int i = 0; i < SLICES_TO_RECOVER && !holds.getAsBoolean(); i++) {
                simulation.run(SLICE);
            }
        }

        private void requireHandled(String when) {
            if (!world.ledger.open().isEmpty()) {
                throw new AssertionError("never handled " + when + ": " + world.ledger.open());
            }
        }

        /**
         * On a work queue a worker keeps a few partitions on consumers of their own; on an interest stream a consumer that is
         * not needed may stay, so that a partition is never without one.
         */
        private boolean isSettled() {
            int consumers = consumers().size();
            if (retention == Retention.INTEREST) {
                return consumers >= owners().size();
            }
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

        private List<String> consumers() {
            return world.jetStream.server.names(WorkerWorld.PREFIX + "-");
        }

        private List<SimulatedWorker> owners() {
            List<SimulatedWorker> owners = new ArrayList<>();
            for (SimulatedProcess process : workers) {
                SimulatedWorker worker = process.worker();
                if (worker != null && worker.owned() > 0) {
                    owners.add(worker);
                }
            }
            return owners;
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
