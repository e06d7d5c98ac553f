package dev.sluice.bench;

/**
 * What one contender did in one round.
 *
 * @param cpuNanos of the whole process, native threads included
 */
public record Sample(long events, long wallNanos, long cpuNanos) {
    public double eventsPerSecond() {
        return events * 1e9 / wallNanos;
    }

    public double cpuMicrosPerEvent() {
        return cpuNanos / 1e3 / events;
    }
}
