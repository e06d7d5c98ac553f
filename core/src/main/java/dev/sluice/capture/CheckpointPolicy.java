package dev.sluice.capture;

import java.time.Duration;

/**
 * How often a position is saved where it is not saved anyway. Events always take their checkpoint into the log with
 * them, in one batch; this says how often the position of an idle stream is written, and how often the mirror is.
 *
 * @param interval at most this long after the last save
 * @param events or when so many events came since
 */
public record CheckpointPolicy(Duration interval, int events) {
    public static final CheckpointPolicy DEFAULT = new CheckpointPolicy(Duration.ofSeconds(1), 1000);

    public CheckpointPolicy {
        if (interval.isNegative() || events < 1) {
            throw new IllegalArgumentException("a checkpoint interval is not negative, and its event count positive");
        }
    }

    boolean isDue(long elapsedNanos, long eventsSince) {
        return elapsedNanos >= interval.toNanos() || eventsSince >= events;
    }
}
