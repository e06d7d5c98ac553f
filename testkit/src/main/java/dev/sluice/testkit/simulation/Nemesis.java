package dev.sluice.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Disturbs a cluster at random: crashes, pauses, partitions and clock jumps, each mended after a random time. After
 * {@code until} everything is mended and left alone, so that a scenario can ask whether the cluster recovers.
 */
public final class Nemesis {

    private final Simulation simulation;
    private final List<Node> victims;
    private final Duration between;
    private final Duration longest;

    /**
     * @param between the mean time from one disturbance to the next
     * @param longest how long a disturbance lasts at most
     */
    public Nemesis(Simulation simulation, List<Node> victims, Duration between, Duration longest) {
        this.simulation = simulation;
        this.victims = List.copyOf(victims);
        this.between = between;
        this.longest = longest;
    }

    /** Starts now and ends after this time. */
    public void disturbFor(Duration duration) {
        Duration end = simulation.now().plus(duration);
        simulation.after(duration, "nemesis rests", this::mendAll);
        disturbLater(end);
    }

    private void disturbLater(Duration end) {
        simulation.after(simulation.between(Duration.ZERO, between.multipliedBy(2)), "nemesis", () -> {
            if (simulation.now().compareTo(end) < 0) {
                disturb();
                disturbLater(end);
            }
        });
    }

    private void disturb() {
        Node victim = simulation.pick(victims);
        Duration lasts = simulation.between(Duration.ZERO, longest);
        switch (simulation.random().nextInt(4)) {
            case 0 -> {
                victim.crash();
                simulation.after(lasts, "nemesis restarts " + victim, victim::restart);
            }
            case 1 -> {
                victim.pause();
                simulation.after(lasts, "nemesis resumes " + victim, victim::resume);
            }
            case 2 -> {
                partition();
                simulation.after(lasts, "nemesis heals", simulation.network()::heal);
            }
            default -> victim.clock().jump(simulation.between(longest.negated(), longest));
        }
    }

    private void partition() {
        List<Node> one = new ArrayList<>();
        List<Node> other = new ArrayList<>();
        simulation.nodes().forEach(node -> (simulation.chance(0.5) ? one : other).add(node));
        simulation.network().partition(one, other);
    }

    private void mendAll() {
        simulation.network().heal();
        victims.forEach(Node::resume);
        victims.forEach(Node::restart);
    }
}
