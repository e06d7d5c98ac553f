package dev.sluice.lane;

import dev.sluice.run.Turns;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Does what is to be done next until there is nothing, whoever asks for it: one at a time, and never twice at once, because
 * two would overtake each other. Who asks while it is running does not wait, it looks once more. It has no thread but a
 * timer.
 */
final class Pump {
    private final Turns turns;
    private final Supplier<@Nullable Runnable> next;
    private boolean running;
    private boolean again;
    private long timerAt = Long.MAX_VALUE;

    /** @param next what is to be done; null: nothing, now. It is run while no lock is held */
    Pump(Turns turns, Supplier<@Nullable Runnable> next) {
        this.turns = turns;
        this.next = next;
    }

    void run() {
        if (!begins()) {
            return;
        }
        boolean more = true;
        try {
            while (more) {
                looks();
                Runnable work = next.get();
                if (work != null) {
                    work.run();
                }
                more = goesOn(work != null);
            }
        } finally {
            if (more) {
                stops();
            }
        }
    }

    /** A bug; who asks next must not find it running. */
    private synchronized void stops() {
        running = false;
    }

    private synchronized boolean begins() {
        boolean first = !running;
        running = true;
        again = true;
        return first;
    }

    private synchronized void looks() {
        again = false;
    }

    private synchronized boolean goesOn(boolean worked) {
        running = worked || again;
        return running;
    }

    /** Looks again after so long, if not sooner. */
    synchronized void wakeIn(Duration delay) {
        long at = turns.nanos() + Math.max(1, delay.toNanos());
        if (timerAt == Long.MAX_VALUE || at - timerAt < 0) {
            turns.after(Duration.ofNanos(Math.max(1, delay.toNanos())), () -> {
                rings(at);
                run();
            });
            timerAt = at;
        }
    }

    private synchronized void rings(long at) {
        timerAt = timerAt == at ? Long.MAX_VALUE : timerAt;
    }
}
