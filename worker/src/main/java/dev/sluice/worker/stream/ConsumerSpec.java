package dev.sluice.worker.stream;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer is created with. Only {@link #filters} may change afterwards.
 *
 * @param filters at least one: an empty list would mean every subject of the stream
 * @param startSequence the first sequence that may be delivered; 0: the first one there is
 * @param explicitAck whether messages must be acknowledged; else delivering a message settles it
 * @param inactiveThreshold after which the server deletes the consumer while nobody pulls; null: never
 * @param inMemory one replica in memory: gone with its server
 */
public record ConsumerSpec(
        String name,
        List<String> filters,
        long startSequence,
        boolean explicitAck,
        Duration ackWait,
        int maxAckPending,
        int maxWaiting,
        @Nullable Duration inactiveThreshold,
        boolean inMemory) {
    public ConsumerSpec {
        filters = List.copyOf(filters);
        if (filters.isEmpty()) {
            throw new IllegalArgumentException("a consumer without filters gets every subject: " + name);
        }
    }

    public ConsumerSpec withFilters(List<String> others) {
        return new ConsumerSpec(
                name,
                others,
                startSequence,
                explicitAck,
                ackWait,
                maxAckPending,
                maxWaiting,
                inactiveThreshold,
                inMemory);
    }
}
