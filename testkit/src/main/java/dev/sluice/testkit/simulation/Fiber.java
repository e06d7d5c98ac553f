package dev.sluice.testkit.simulation;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a simulated process, for code that blocks. It has a real thread, but only one runs at a time: the fiber that
 * holds the baton runs until it waits for something, then the simulation goes on with the next event. So a schedule
 * depends on the seed alone, and everything may happen at every wait: pauses, crashes, other fibers.
 *
 * <p>A fiber must not hold a lock while it waits: whoever wants that lock would wait in real time, for ever.
 */
final class Fiber {
    private final Simulation simulation;
    private final Node node;
    private final int life;
    private final String name;
    private final Thread thread;
    private @Nullable Thread resumer;
    private volatile boolean runs;
    private volatile boolean stuck;
    private boolean killed;
    private boolean ended;
    private boolean crashed;
    private @Nullable Throwable failure;

    Fiber(Simulation simulation, Node node, String name, Runnable body) {
        this.simulation = simulation;
        this.node = node;
        this.life = node.life();
        this.name = name;
        this.thread = Thread.ofVirtual().name(node.name() + '/' + name).unstarted(() -> run(body));
    }

    int life() {
        return life;
    }

    Node node() {
        return node;
    }

    boolean isEnded() {
        return ended;
    }

    /** Lets it run until its next wait or its end. */
    void resume() {
        if (ended) {
            return;
        }
        resumer = Thread.currentThread();
        Fiber before = simulation.switchTo(this);
        runs = true;
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        } else {
            LockSupport.unpark(thread);
        }
        awaitBaton();
        simulation.switchTo(before);
        if (crashed) {
            crashed = false;
            throw new Node.Crashed();
        }
        if (failure != null) {
            Throwable thrown = failure;
            failure = null;
            throw new FiberFailure(this, thrown);
        }
    }

    private void awaitBaton() {
        while (runs) {
            LockSupport.park(this);
            if (stuck) {
                throw new IllegalStateException(
                        this + " does not wait for anything that is simulated: it waits for a lock"
                                + " that another fiber holds, sleeps in real time, or loops.");
            }
        }
    }

    /** From outside of the simulation: it has been running for far too long. */
    void giveUp() {
        stuck = true;
        LockSupport.unpark(resumer);
    }

    /** Called by the fiber itself: gives the baton back until somebody resumes it. */
    void suspend() {
        if (killed) {
            throw new Node.Crashed();
        }
        // A thread that is interrupted cannot park; what it waits for in virtual time is not cut short by that.
        boolean interrupted = Thread.interrupted();
        runs = false;
        LockSupport.unpark(resumer);
        while (!runs) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            thread.interrupt();
        }
        if (killed) {
            throw new Node.Crashed();
        }
    }

    /** Ends it where it waits. What its {@code finally} blocks wait for is refused as well. */
    void kill() {
        killed = true;
        if (thread.getState() == Thread.State.NEW) {
            ended = true;
        } else if (!isRunning() && !runs) {
            unwind();
        }
    }

    private boolean isRunning() {
        return simulation.runningFiber() == this;
    }

    private void unwind() {
        try {
            resume();
        } catch (Node.Crashed asItShould) {
            return;
        }
    }

    private void run(Runnable body) {
        try {
            body.run();
        } catch (Node.Crashed e) {
            this.crashed = true;
        } catch (RuntimeException | Error e) {
            failure = killed ? null : e;
        } finally {
            ended = true;
            runs = false;
            LockSupport.unpark(resumer);
        }
    }

    @Override
    public String toString() {
        return node + "/" + name;
    }

    /** What a fiber did not catch. */
    static final class FiberFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FiberFailure(Fiber fiber, Throwable cause) {
            super("fiber " + fiber + " failed: " + cause, cause);
        }
    }
}
