package dev.sluice.outbox.spring;

import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.table.OutboxTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/** {@code /actuator/outbox}: what waits, what is dead, what this node does; and dead messages back into the outbox. */
@Endpoint(id = "outbox")
public final class OutboxEndpoint {
    private static final int DEAD_ROWS_SHOWN = 20;

    private final String name;
    private final Outbox outbox;
    private final OutboxTable table;
    private final Supplier<@Nullable RelayLifecycle> lifecycle;

    OutboxEndpoint(String name, Outbox outbox, OutboxTable table, Supplier<@Nullable RelayLifecycle> lifecycle) {
        this.name = name;
        this.outbox = outbox;
        this.table = table;
        this.lifecycle = lifecycle;
    }

    @ReadOperation
    public OutboxReport status() {
        return OutboxReport.of(
                name,
                relay().map(OutboxRelay::status).orElse(null),
                table.backlog(),
                table.dead(DEAD_ROWS_SHOWN, Long.MIN_VALUE));
    }

    private Optional<OutboxRelay> relay() {
        return Optional.ofNullable(lifecycle.get()).flatMap(RelayLifecycle::relay);
    }

    /**
     * Sends dead messages again, each under its old id: one by its id, all of a key, or all.
     *
     * @return how many were dead
     */
    @WriteOperation
    public Map<String, Integer> requeue(@Nullable Long id, @Nullable String key, @Nullable Boolean all) {
        boolean everything = Boolean.TRUE.equals(all);
        long said = Stream.of(id != null, key != null, everything)
                .filter(each -> each)
                .count();
        if (said != 1) {
            throw new InvalidEndpointRequestException(
                    "Say what to requeue, by one of {\"id\": 17}, {\"key\": \"42\"}, {\"all\": true}.",
                    "id, key or all is required");
        }
        int requeued =
                id != null ? table.requeue(List.of(id)) : key != null ? table.requeueKey(key) : table.requeueAll();
        outbox.committed();
        return Map.of("requeued", requeued);
    }
}
