package dev.sluice.lane;

import dev.sluice.deliver.EventType;
import dev.sluice.model.Priority;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event a gateway will never take, kept with all that is needed to send it again.
 *
 * @param id the same for the same event, type, subscription and gateway: stored twice, it is one
 * @param entry the {@code event} object as gateways get it, in UTF-8; a document that cannot be written as JSON is {@code
 *     {"$binary":…}} with its BSON bytes
 * @param at when it was first stored
 * @param history one line per attempt that was refused, oldest first, bounded
 * @param standsFor it was sent once for all subscriptions of this priority that it may concern
 *     ({@link dev.sluice.deliver.Delivery#standsFor}); null: for its own alone
 */
public record DeadLetter(
        String id,
        String gatewayId,
        String subscriptionId,
        String eventId,
        EventType type,
        int partition,
        byte[] entry,
        String reason,
        Instant at,
        int attempts,
        List<String> history,
        @Nullable Priority standsFor) {}
