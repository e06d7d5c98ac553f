package dev.sluice.log;

/** How much an eviction took out of the log. */
public record Eviction(long events, long bytes) {
    public static final Eviction NOTHING = new Eviction(0, 0);
}
