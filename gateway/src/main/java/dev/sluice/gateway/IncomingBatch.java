package dev.sluice.gateway;

import java.util.List;

/**
 * What one delivery brings, in order.
 *
 * @param perEventRetries the sender understands that some of it is wanted later; to another everything has to come again
 */
record IncomingBatch(List<Incoming> events, boolean perEventRetries) {
    IncomingBatch {
        events = List.copyOf(events);
    }
}
