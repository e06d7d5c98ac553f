package dev.sluice.deliver;

import dev.sluice.model.DocumentId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Sends a batch to a receiver that acknowledges events one by one, such as a topic. Many are under way at once, but of one
 * subscription and document only one: an event that follows a failed one is not sent, because after the retry it would
 * stand before it.
 */
public final class EventByEvent {
    private static final EventOutcome NOT_SENT =
            new EventOutcome.RetryLater("an earlier event of its document has not arrived");

    private final DeliveryBatch batch;
    private final Sending sending;
    private final EventOutcome[] outcomes;
    private final Set<Slot> stopped = new HashSet<>();

    /** Sends one event and does not wait for its end, which is decided when the future says so, and never exceptional. */
    @FunctionalInterface
    public interface Sending {
        CompletableFuture<EventOutcome> send(Delivery delivery);
    }

    private record Slot(String subscription, String backend, String collection, DocumentId document) {
        static Slot of(Delivery delivery) {
            var event = delivery.event().event();
            return new Slot(delivery.subscriptionId(), event.backend(), event.collection(), event.documentId());
        }
    }

    private EventByEvent(DeliveryBatch batch, Sending sending) {
        this.batch = batch;
        this.sending = sending;
        this.outcomes = new EventOutcome[batch.deliveries().size()];
    }

    /** Blocks until the end of every event is decided. */
    public static BatchOutcome run(DeliveryBatch batch, Sending sending) {
        return new EventByEvent(batch, sending).run();
    }

    private BatchOutcome run() {
        List<Integer> rest = new ArrayList<>();
        for (int k = 0; k < outcomes.length; k++) {
            rest.add(k);
        }
        while (!rest.isEmpty()) {
            rest = wave(rest);
        }
        return whole(List.of(outcomes));
    }

    /** Sends the first event of every slot; returns those that come after them. */
    private List<Integer> wave(List<Integer> rest) {
        Set<Slot> taken = new HashSet<>();
        List<Integer> later = new ArrayList<>();
        List<Integer> sent = new ArrayList<>();
        List<CompletableFuture<EventOutcome>> ends = new ArrayList<>();
        for (int k : rest) {
            Delivery delivery = batch.deliveries().get(k);
            Slot slot = Slot.of(delivery);
            if (stopped.contains(slot)) {
                outcomes[k] = NOT_SENT;
            } else if (taken.add(slot)) {
                sent.add(k);
                ends.add(sending.send(delivery));
            } else {
                later.add(k);
            }
        }
        for (int n = 0; n < sent.size(); n++) {
            settle(sent.get(n), ends.get(n).join());
        }
        return later;
    }

    private void settle(int k, EventOutcome outcome) {
        outcomes[k] = outcome;
        if (outcome instanceof EventOutcome.RetryLater) {
            stopped.add(Slot.of(batch.deliveries().get(k)));
        }
    }

    /** When nothing at all arrived, it is the receiver, and not the events. */
    private static BatchOutcome whole(List<EventOutcome> outcomes) {
        if (outcomes.stream().allMatch(EventOutcome.Delivered.class::isInstance)) {
            return BatchOutcome.DELIVERED;
        }
        return outcomes.stream().allMatch(EventOutcome.RetryLater.class::isInstance)
                        && outcomes.getFirst() instanceof EventOutcome.RetryLater first
                ? new BatchOutcome.RetryLater(first.reason())
                : new BatchOutcome.PerEvent(outcomes);
    }
}
