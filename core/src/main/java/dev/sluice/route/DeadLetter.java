package dev.sluice.route;

import dev.sluice.deliver.EventType;
import java.time.Instant;
import java.util.List;

/**
 * An event a gateway will never take, kept with all that is needed to send it again.
 *
 * @param id the same for the same event, type, subscription and gateway: stored twice, it is one
 * @param entry the {@code event} object as gateways get it, in UTF-8
 * @param at when it was first stored
 * @param history one line per attempt that was refused, oldest first, bounded
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
        List<String> history) {}
