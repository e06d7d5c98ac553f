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

        /** Everything is handled in the end, and what is published now, too. */
        private void recover() {
            for (int i = 0; i < SLICES_TO_RECOVER && !world.ledger.open().isEmpty(); i++) {
                simulation.run(SLICE);
            }
            if (strict && !world.ledger.open().isEmpty()) {
                throw new AssertionError("never handled although all trouble is over: " + world.ledger.open());
            }
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
