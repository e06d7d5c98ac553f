package dev.sluice.worker.stream;

import java.time.Instant;
import java.util.List;

/**
 * A consumer as its leader reports it.
 *
 * @param leader the server that leads it; empty without a cluster
 * @param pending messages not delivered yet; a hint
 * @param ackPending delivered and not acknowledged
 * @param redelivered delivered more than once and not acknowledged
 * @param ackFloor the stream sequence up to which everything that was delivered is acknowledged
 * @param acknowledges whether it waits for acknowledgements; without them the ack floor follows deliveries
 * @param inUse whether a client pulls from it, or is subscribed to what it pushes
 */
public record ConsumerState(
        String name,
        List<String> filters,
        String leader,
        Instant created,
        long pending,
        long ackPending,
        long redelivered,
        long ackFloor,
        boolean acknowledges,
        boolean inUse) {
    public ConsumerState {
        filters = List.copyOf(filters);
    }
}
