package dev.sluice.testkit.simulation;

import dev.sluice.coordinate.Clockwork;
import java.time.Duration;

/** The clockwork of a simulated process. */
public class NodeClockwork implements Clockwork {
    private final Node node;
    private final int slowness;

    /** @param slowness 1; by how much the clock is too slow in a simulation that shall fail */
    public NodeClockwork(Node node, int slowness) {
        this.node = node;
        this.slowness = slowness;
    }

    @Override
    public long nanos() {
        // Its readings wrap, so that only the ones of a sound clock may be passed on whole.
        return slowness == 1 ? node.clock().nanos() : (node.clock().nanos() - Long.MIN_VALUE) / slowness;
    }

    @Override
    public void start(String name, Runnable body) {
        node.fiber(name, body);
    }

    /** Nor after what a test finds wrong. */
    @Override
    public boolean goesOnAfter(Throwable failure) {
        return !(failure instanceof Node.Crashed || failure instanceof AssertionError);
    }

    @Override
    public Signal signal() {
        FiberSignal signal = node.signal("wakes");
        return new Signal() {
            @Override
            public void raise() {
                signal.raise();
            }

            @Override
            public void await(Duration atMost) {
                signal.await(atMost);
            }
        };
    }
}
