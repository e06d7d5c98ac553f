package dev.sluice.gateway;

import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Passed;
import java.util.List;

/**
 * What one delivery brings, in order.
 *
 * @param introductions subscriptions of others that are to be known before its events
 * @param perEventRetries the sender understands that some of it is wanted later; to another everything has to come again
 * @param passed how far partitions have got with this gateway's own subscriptions
 */
record IncomingBatch(List<Incoming> events, Introductions introductions, boolean perEventRetries, List<Passed> passed) {
    IncomingBatch {
        events = List.copyOf(events);
        passed = List.copyOf(passed);
    }

    IncomingBatch(List<Incoming> events, Introductions introductions, boolean perEventRetries) {
        this(events, introductions, perEventRetries, List.of());
    }

    /** Of subscriptions of this gateway's own. */
    IncomingBatch(List<Incoming> events, boolean perEventRetries) {
        this(events, Introductions.NONE, perEventRetries);
    }
}
