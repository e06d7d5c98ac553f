package dev.sluice.outbox.log;

import dev.sluice.capture.TenantRule;
import java.time.Duration;

/**
 * How an outbox is read into the event log.
 *
 * @param node unique among the Pullers that would read it
 * @param lease how long one that fell silent is waited for before another takes over
 * @param batch most rows of one batch; the log must take so many events in one commit
 */
public record OutboxSourceSettings(String node, Duration lease, int batch, TenantRule tenant) {
    public static final int DEFAULT_BATCH = 1_000;

    public OutboxSourceSettings {
        if (batch < 1) {
            throw new IllegalArgumentException("a batch of an outbox has at least one row");
        }
    }
}
