package dev.sluice.outbox.log;

import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.outbox.table.OutboxTable;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The database's clock, asked once in a while and continued by ours; on the same occasions it is made sure that no relay has
 * claimed rows meanwhile.
 */
final class DatabaseWatch {
    private static final Duration ASK_AGAIN = Duration.ofSeconds(1);

    private final OutboxTable table;
    private final Relays relays;
    private final LongSupplier nanos;
    private final String trace;
    private Instant told;
    private long toldAt;

    /** @param trace of the relays, when this reader began */
    DatabaseWatch(OutboxTable table, Relays relays, String trace, LongSupplier nanos) {
        this.table = table;
        this.relays = relays;
        this.trace = trace;
        this.nanos = nanos;
        this.toldAt = nanos.getAsLong();
        this.told = table.now();
    }

    /** @throws SourceException when a relay takes rows of this table */
    Instant now() throws SourceException {
        if (nanos.getAsLong() - toldAt >= ASK_AGAIN.toNanos()) {
            if (!relays.trace().equals(trace)) {
                throw new SourceException(new SourceFailure.HistoryLost(
                        "a relay has claimed rows of this outbox, and what it publishes never comes here: stop the relay, or"
                                + " remove the backend from the Puller"));
            }
            toldAt = nanos.getAsLong();
            told = table.now();
        }
        return told.plusNanos(nanos.getAsLong() - toldAt);
    }

    String trace() {
        return trace;
    }
}
