package dev.sluice.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Disturbs a cluster at random: crashes, pauses, partitions and clock jumps, each mended by itself after a random time. At
 * the end everything is mended, clocks included, and left alone, so that a scenario can ask whether the cluster recovers.
 */
public final class Nemesis {

    private final Simulation simulation;
    private final List<Node> victims;
    private final Duration between;
    private final Duration longest;
    private final List<Runnable> mends = new ArrayList<>();

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
                mendAfter(lasts, "nemesis restarts " + victim, victim::restart);
            }
            case 1 -> {
                victim.pause();
                mendAfter(lasts, "nemesis resumes " + victim, victim::resume);
            }
            case 2 -> mendAfter(lasts, "nemesis heals", partition()::heal);
            default -> {
                Duration jump = simulation.between(longest.negated(), longest);
                victim.clock().jump(jump);
                mendAfter(
                        lasts,
                        "nemesis sets the clock of " + victim + " right",
                        () -> victim.clock().jump(jump.negated()));
            }
        }
    }

    /** Unless all was mended before. */
    private void mendAfter(Duration lasts, String what, Runnable mend) {
        mends.add(mend);
        simulation.after(lasts, what, () -> {
            if (mends.remove(mend)) {
                mend.run();
            }
        });
    }

    private Network.Cut partition() {
        List<Node> one = new ArrayList<>();
        List<Node> other = new ArrayList<>();
        simulation.nodes().forEach(node -> (simulation.chance(0.5) ? one : other).add(node));
        return simulation.network().partition(one, other);
    }

    /** Also what is not the nemesis's doing: cuts of the scenario, nodes that crashed by themselves. */
    private void mendAll() {
        mends.forEach(Runnable::run);
        mends.clear();
        simulation.network().heal();
        victims.forEach(Node::resume);
        victims.forEach(Node::restart);
    }
}
