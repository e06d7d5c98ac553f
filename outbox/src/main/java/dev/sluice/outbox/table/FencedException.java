package dev.sluice.outbox.table;

import dev.sluice.model.FencingToken;
import java.io.Serial;

/** A partition has been claimed under a higher token: whoever meets this gives it up. */
public final class FencedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    FencedException(int partition, FencingToken claimed, FencingToken stored) {
        super("Partition " + partition + " of the outbox cannot be claimed with token " + claimed + ", since "
                + stored + " is in outbox_partitions: another relay owns it. If the coordination store was emptied,"
                + " stop all relays and delete the rows of outbox_partitions.");
    }
}
