package dev.sluice.gateway;

import dev.sluice.deliver.Introductions;
import java.util.List;

/**
 * What one delivery brings, in order.
 *
 * @param introductions subscriptions of others that are to be known before its events
 * @param perEventRetries the sender understands that some of it is wanted later; to another everything has to come again
 */
record IncomingBatch(List<Incoming> events, Introductions introductions, boolean perEventRetries) {
    IncomingBatch {
        events = List.copyOf(events);
    }

    /** Of subscriptions of this gateway's own. */
    IncomingBatch(List<Incoming> events, boolean perEventRetries) {
        this(events, Introductions.NONE, perEventRetries);
    }
}
