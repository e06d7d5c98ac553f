package dev.sluice.worker.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The times in which a worker may have been unable to write its cursors: it was frozen, or its server was away. */
final class Disturbances {
    /** The name that stands for every process. */
    static final String ALL = "*";

    /** How long after a disturbance the first cursor may take: reconnecting, new leases, new consumers. */
    private static final long RECOVERY = Duration.ofSeconds(8).toNanos();

    /** Between two cursors of an undisturbed worker: two writes a second, and the slowness of a loaded machine. */
    private static final long CURSOR_AGE = Duration.ofSeconds(3).toNanos();

    private static final long STEP = Duration.ofMillis(50).toNanos();

    /** One span of time; open until {@link #end}. */
    static final class Span {
        private final String process;
        private final long from;
        private volatile long to = Long.MAX_VALUE;

        private Span(String process) {
            this.process = process;
            this.from = System.nanoTime();
        }

        void end() {
            to = System.nanoTime() + RECOVERY;
        }

        private boolean covers(String other, long time) {
            return (process.equals(ALL) || process.equals(other))
                    && time - from >= 0
                    && (to == Long.MAX_VALUE || time - to <= 0);
        }
    }

    private final List<Span> spans = new CopyOnWriteArrayList<>();

    Span begin(String process) {
        Span span = new Span(process);
        spans.add(span);
        return span;
    }

    /** The time of the last cursor that this process is sure to have written before {@code end}. */
    long lastCursorBefore(String process, long end, long notBefore) {
        long time = end;
        long undisturbed = 0;
        while (undisturbed < CURSOR_AGE && time - notBefore >= 0) {
            time -= STEP;
            undisturbed += isDisturbed(process, time) ? 0 : STEP;
        }
        return time;
    }

    private boolean isDisturbed(String process, long time) {
        for (Span span : spans) {
            if (span.covers(process, time)) {
                return true;
            }
        }
        return false;
    }
}
