package dev.sluice.outbox.log;

import dev.sluice.capture.TenantRule;
import java.time.Duration;

/**
 * How an outbox is read into the event log.
 *
 * @param node unique among the Pullers that would read it
 * @param lease how long one that fell silent is waited for before another takes over
 * @param batch most rows of one batch; the log must take so many events in one commit
 * @param pauses between looks at an empty table
 */
public record OutboxSourceSettings(String node, Duration lease, int batch, TenantRule tenant, Pauses pauses) {
    public static final int DEFAULT_BATCH = 1_000;

    /**
     * Pauses between looks at an empty table: each is twice as long as the one before. A signal ends a pause early.
     *
     * @param first after a look that found rows
     * @param longest upper bound of a pause
     */
    public record Pauses(Duration first, Duration longest) {
        public static final Pauses DEFAULT = new Pauses(Duration.ofMillis(10), Duration.ofSeconds(1));

        Duration after(Duration last) {
            Duration twice = last.multipliedBy(2);
            return twice.compareTo(longest) < 0 ? twice : longest;
        }
    }

    public OutboxSourceSettings {
        if (batch < 1) {
            throw new IllegalArgumentException("a batch of an outbox has at least one row");
        }
    }

    /** With the default pauses. */
    public OutboxSourceSettings(String node, Duration lease, int batch, TenantRule tenant) {
        this(node, lease, batch, tenant, Pauses.DEFAULT);
    }
}
