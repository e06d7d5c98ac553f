package dev.sluice.outbox.relay;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Slice;

/** A claim on some of the table's rows, as a relay of one partition sees it. */
interface Ownership {
    int partition();

    FencingToken token();

    /** Which rows. */
    Slice slice();

    /** Whether to go on; a hint, the table and the sink decide. */
    boolean isHeld();

    /** Whether {@link #opened} was called before for these tables under the token's generation, by whomever. */
    boolean wasOpened(String identity);

    /** Remembers, for the owners to come, that the sink has been opened for these tables; false when the claim is gone. */
    boolean opened(String identity);
}
