package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Network;
import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Disturbs workers, the store and the stream at random until the play's trouble is over; everything mends itself, or is
 * mended by {@link #mendAll}.
 */
final class WorkerNemesis {
    private static final Duration BETWEEN = Duration.ofSeconds(4);
    private static final Duration BRIEF = Duration.ofSeconds(3);
    private static final Duration BEYOND_THE_LEASE = Duration.ofSeconds(12);

    private final Simulation simulation;
    private final WorkerWorld world;
    private final List<SimulatedProcess> workers;
    private final Map<String, Long> tally;
    private boolean rests;

    WorkerNemesis(WorkerWorld world, List<SimulatedProcess> workers, Map<String, Long> tally) {
        this.simulation = world.simulation;
        this.world = world;
        this.workers = workers;
        this.tally = tally;
    }

    void start() {
        simulation.after(simulation.between(Duration.ZERO, BETWEEN), "nemesis", () -> {
            if (!rests) {
                disturb();
                start();
            }
        });
    }

    private void disturb() {
        SimulatedProcess victim = simulation.pick(workers);
        Duration brief = simulation.between(Duration.ZERO, BRIEF);
        Duration lasts = simulation.between(Duration.ZERO, BEYOND_THE_LEASE);
        switch (simulation.random().nextInt(9)) {
            case 0, 1 -> {
                count("crashes");
                victim.node.crash();
                later(lasts, victim.node + " restarts", victim.node::restart);
            }
            case 2 -> {
                count("freezes");
                victim.node.pause();
                later(lasts, victim.node + " goes on", victim.node::resume);
            }
            case 3 -> {
                count("lost connections");
                world.jetStream.disconnect(victim.node, brief);
            }
            case 4 -> {
                count("server restarts or leader changes");
                world.jetStream.disturb(brief);
            }
            case 5 -> {
                count("cut off from the store");
                Network.Cut cut = simulation.network().partition(List.of(victim.node), List.of(world.storeNode));
                later(lasts, "nemesis heals", cut::heal);
            }
            case 6 -> {
                count("store outages");
                world.storeNode.pause();
                later(brief, "store goes on", world.storeNode::resume);
            }
            default -> {
                count("leaves and joins");
                victim.leaveAndComeBack(lasts);
            }
        }
    }

    private void count(String what) {
        tally.merge(what, 1L, Long::sum);
    }

    private void later(Duration lasts, String what, Runnable mend) {
        simulation.after(lasts, what, mend);
    }

    void mendAll() {
        rests = true;
        simulation.network().heal();
        world.clearsUp();
        world.storeNode.resume();
        workers.stream().map(worker -> worker.node).forEach(Node::resume);
        workers.stream().map(worker -> worker.node).forEach(Node::restart);
    }
}
