package dev.sluice.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What fibers of one node wait for. A raise wakes all that wait, or, when none does, the next that would. */
public final class FiberSignal {
    private final Node node;
    private final String name;
    private final List<Suspension> waiting = new ArrayList<>();
    private boolean raised;

    FiberSignal(Node node, String name) {
        this.node = node;
        this.name = name;
    }

    /** Called by a fiber, or by any other step. */
    public void raise() {
        if (waiting.isEmpty()) {
            raised = true;
        }
        waiting.forEach(wait -> wait.end(name));
        waiting.clear();
    }

    /** Called by a fiber of the node: returns when raised, when it had been raised before, or when the time is over. */
    public void await(Duration atMost) {
        if (raised) {
            raised = false;
            return;
        }
        if (atMost.isNegative() || atMost.isZero()) {
            return;
        }
        Suspension wait = node.suspension();
        waiting.add(wait);
        wait.endAfter(atMost, name);
        try {
            wait.await();
        } finally {
            waiting.remove(wait);
        }
    }
}
