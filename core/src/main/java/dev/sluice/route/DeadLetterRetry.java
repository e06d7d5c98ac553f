package dev.sluice.route;

import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sends dead letters again: in the order they are asked for, so many a second, marked as redelivery. They go through the
 * lane like everything else, and are deleted when the gateway has them.
 */
final class DeadLetterRetry {
    private final DeadLetters letters;
    private final Surroundings around;
    private final IntFunction<@Nullable Partition> partitions;
    private final ArrayDeque<Ready> queue = new ArrayDeque<>();
    private boolean running;

    private record Ready(DeadLetter letter, OutgoingEvent event, Subscription subscription) {}

    /** @param partitions those that are ours, by number */
    DeadLetterRetry(DeadLetters letters, Surroundings around, IntFunction<@Nullable Partition> partitions) {
        this.letters = letters;
        this.around = around;
        this.partitions = partitions;
    }

    RetryReport retry(List<String> ids, boolean dryRun) {
        List<String> accepted = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        List<Ready> ready = new ArrayList<>();
        for (String id : ids) {
            try {
                ready.add(check(id));
                accepted.add(id);
            } catch (InvalidInputException e) {
                refused.add(id + ": " + e.getMessage());
            }
        }
        if (!dryRun && !ready.isEmpty()) {
            enqueue(ready);
        }
        return new RetryReport(accepted, refused);
    }

    private Ready check(String id) {
        DeadLetter letter =
                letters.find(id).orElseThrow(() -> new InvalidInputException("there is no such dead letter"));
        Subscription subscription = around.known()
                .find(letter.subscriptionId())
                .orElseThrow(() -> new InvalidInputException("its subscription has ended"));
        if (around.lanes().of(letter.gatewayId()) == null) {
            throw new InvalidInputException("its gateway is not known");
        }
        if (partitions.apply(letter.partition()) == null) {
            throw new InvalidInputException("its partition is not owned here");
        }
        return new Ready(letter, RevivedEvent.of(letter), subscription);
    }

    private synchronized void enqueue(List<Ready> ready) {
        queue.addAll(ready);
        if (!running) {
            running = true;
            around.turns().after(Duration.ZERO, this::send);
        }
    }

    private void send() {
        Ready next;
        synchronized (this) {
            next = queue.poll();
            running = next != null;
        }
        if (next == null) {
            return;
        }
        Lane lane = around.lanes().of(next.letter.gatewayId());
        Partition partition = partitions.apply(next.letter.partition());
        if (lane != null && partition != null) {
            lane.add(List.of(new Owed(
                    partition,
                    null,
                    next.letter.subscriptionId(),
                    next.subscription.priority(),
                    next.letter.type(),
                    next.event,
                    true,
                    false,
                    next.letter.id(),
                    around.turns().nanos())));
            lane.pump();
        }
        around.turns().after(Duration.ofSeconds(1).dividedBy(around.settings().retriesPerSecond()), this::send);
    }
}
