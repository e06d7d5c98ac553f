package dev.sluice.testkit.simulation;

import dev.sluice.testkit.time.MemberClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One simulated process. Its steps are run by the simulation, one at a time. A crash forgets all that it had planned and
 * all that its {@link Boot} made; a pause (SIGSTOP, a long garbage collection) only holds its steps back while time goes
 * on for everyone, itself included.
 */
public final class Node {

    /** Ends the step it is thrown in. An error: code that outlives its failures must not outlive its process. */
    public static final class Crashed extends Error {
        private static final long serialVersionUID = 1L;

        Crashed() {
            super("crash", null, false, false);
        }
    }

    /** Of a message: whichever life is up when it arrives gets it. */
    static final int ANY_LIFE = -1;

    private static final Duration RESTARTED_WITHIN = Duration.ofSeconds(10);

    private final Simulation simulation;
    private final String name;
    private final Boot boot;
    private final MemberClock clock;
    private final List<Event> heldBack = new ArrayList<>();
    private final List<Fiber> fibers = new ArrayList<>();
    private BiConsumer<Node, Object> receiver = (from, message) -> {};
    private int life;
    private boolean up;
    private boolean paused;
    private @Nullable String crashedAt;

    Node(Simulation simulation, String name, Duration skew, Boot boot) {
        this.simulation = simulation;
        this.name = name;
        this.boot = boot;
        this.clock = simulation.clock().skewedBy(skew);
    }

    public String name() {
        return name;
    }

    /** What this node believes the time to be. */
    public MemberClock clock() {
        return clock;
    }

    public boolean isUp() {
        return up;
    }

    public boolean isPaused() {
        return paused;
    }

    /** Grows by one with every start. */
    public int life() {
        return life;
    }

    /** Plans a step of this life of the node. */
    public void after(Duration delay, String what, Runnable step) {
        simulation.schedule(delay, this, life, what, step);
    }

    /** Plans a step again and again: each time one period, give or take a tenth, after the one before has ended. */
    public void every(Duration period, String what, Runnable step) {
        every(life, period, what, step);
    }

    private void every(int mine, Duration period, String what, Runnable step) {
        simulation.schedule(simulation.about(period), this, mine, what, () -> {
            step.run();
            every(mine, period, what, step);
        });
    }

    /** Starts a thread of this life of the node, for code that blocks. */
    public void fiber(String fiberName, Runnable body) {
        if (up) {
            Fiber fiber = new Fiber(simulation, this, fiberName, body);
            fibers.removeIf(Fiber::isEnded);
            fibers.add(fiber);
            simulation.schedule(Duration.ZERO, this, life, "starts " + fiberName, fiber::resume);
        }
    }

    /** The next wait of the fiber that runs now, which must be one of this node's. */
    public Suspension suspension() {
        Fiber fiber = simulation.runningFiber();
        if (fiber == null || fiber.node() != this) {
            throw new IllegalStateException("Only a fiber of " + name + " can wait there, not "
                    + (fiber == null ? "a plain step" : fiber) + ".");
        }
        return new Suspension(simulation, fiber);
    }

    public FiberSignal signal(String signalName) {
        return new FiberSignal(this, signalName);
    }

    /** Lets the fiber that runs now wait. */
    public void sleep(Duration time, String what) {
        Suspension wait = suspension();
        wait.endAfter(time, what);
        wait.await();
    }

    /** What this life of the node does with a message, told from whom. */
    public void onMessage(BiConsumer<Node, Object> receiver) {
        this.receiver = receiver;
    }

    /**
     * Sends a message; whether, when and how often it arrives is up to the network. Messages are not copied. A dead node
     * sends nothing, not even from the {@code finally} of the step that it died in.
     */
    public void send(Node to, Object message) {
        if (up) {
            simulation.network().send(this, to, message);
        }
    }

    /**
     * A place inside a step where the process may die: by the given chance everything after it does not happen, and the
     * node is started again within ten seconds. Put one before and after each durable effect. A step that swallows its
     * crash fails the run: what it does afterwards, no dead process could have done.
     */
    public void mayCrash(double chance, String where) {
        if (simulation.chance(chance)) {
            simulation.note(name, "crashes at " + where);
            die();
            crashedAt = where;
            simulation.after(simulation.between(Duration.ZERO, RESTARTED_WITHIN), "restarts " + name, this::restart);
            throw new Crashed();
        }
    }

    /** Ends this life: planned steps, held-back messages and volatile state are gone. */
    public void crash() {
        if (up) {
            simulation.note(name, "crash");
            die();
        }
    }

    /** Starts the next life unless it is up. */
    public void restart() {
        if (!up) {
            simulation.note(name, "start");
            life++;
            up = true;
            runStep(() -> boot.start(this));
        }
    }

    public void pause() {
        if (up && !paused) {
            simulation.note(name, "pause");
            paused = true;
        }
    }

    /** What became due during the pause happens now, in any order. */
    public void resume() {
        if (paused) {
            simulation.note(name, "resume");
            paused = false;
            List<Event> due = List.copyOf(heldBack);
            heldBack.clear();
            due.forEach(event -> simulation.schedule(Duration.ZERO, this, event.life(), event.what(), event.action()));
        }
    }

    void receive(Node from, Object message) {
        receiver.accept(from, message);
    }

    /** False when the event belongs to a life that is over, or must wait. */
    boolean takes(Event event) {
        if (!up || (event.life() != life && event.life() != ANY_LIFE)) {
            return false;
        }
        if (paused) {
            heldBack.add(event);
        }
        return !paused;
    }

    void runStep(Runnable step) {
        crashedAt = null;
        try {
            step.run();
        } catch (Crashed crashed) {
            return;
        }
        if (crashedAt != null) {
            throw new AssertionError(name + " swallowed its crash at " + crashedAt
                    + " and went on: catch exceptions, not every Throwable, in the code under test");
        }
    }

    private void die() {
        up = false;
        paused = false;
        heldBack.clear();
        receiver = (from, message) -> {};
        killFibers();
    }

    void killFibers() {
        List<Fiber> victims = List.copyOf(fibers);
        fibers.clear();
        victims.forEach(Fiber::kill);
    }

    @Override
    public String toString() {
        return name;
    }
}
