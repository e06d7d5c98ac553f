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
 * stand before it. A control event, which concerns all documents, waits for all before it of its subscription, and those
 * behind it wait for it.
 */
public final class EventByEvent {
    private static final EventOutcome NOT_SENT =
            new EventOutcome.RetryLater("an earlier event of its document has not arrived");

    private final DeliveryBatch batch;
    private final Sending sending;
    private final EventOutcome[] outcomes;
    private final Set<Slot> stopped = new HashSet<>();

    /** Subscriptions of which something has not arrived: no control event of theirs is sent. */
    private final Set<String> incomplete = new HashSet<>();

    /** Subscriptions of which a control event has not arrived: nothing of theirs is sent. */
    private final Set<String> halted = new HashSet<>();

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
        return whole(outcomes(batch, sending));
    }

    /** As {@link #run}, for a receiver that has answered: what is to come later is not its fault. */
    public static List<EventOutcome> outcomes(DeliveryBatch batch, Sending sending) {
        return new EventByEvent(batch, sending).run();
    }

    private List<EventOutcome> run() {
        List<Integer> rest = new ArrayList<>();
        for (int k = 0; k < outcomes.length; k++) {
            rest.add(k);
        }
        while (!rest.isEmpty()) {
            rest = wave(rest);
        }
        return List.of(outcomes);
    }

    /** Sends the first event of every slot; returns those that come after them. */
    private List<Integer> wave(List<Integer> rest) {
        Wave wave = new Wave();
        List<Integer> later = new ArrayList<>();
        List<Integer> sent = new ArrayList<>();
        List<CompletableFuture<EventOutcome>> ends = new ArrayList<>();
        for (int k : rest) {
            Delivery delivery = batch.deliveries().get(k);
            if (isStopped(delivery)) {
                settle(k, NOT_SENT);
            } else if (wave.takes(delivery)) {
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

    private boolean isStopped(Delivery delivery) {
        String subscription = delivery.subscriptionId();
        return halted.contains(subscription)
                || (delivery.type().isControl()
                        ? incomplete.contains(subscription)
                        : stopped.contains(Slot.of(delivery)));
    }

    private void settle(int k, EventOutcome outcome) {
        outcomes[k] = outcome;
        if (outcome instanceof EventOutcome.RetryLater) {
            Delivery delivery = batch.deliveries().get(k);
            stopped.add(Slot.of(delivery));
            incomplete.add(delivery.subscriptionId());
            if (delivery.type().isControl()) {
                halted.add(delivery.subscriptionId());
            }
        }
    }

    /** Which events may be under way together. */
    private static final class Wave {
        private final Set<Slot> taken = new HashSet<>();
        private final Set<String> met = new HashSet<>();
        private final Set<String> barred = new HashSet<>();

        boolean takes(Delivery delivery) {
            String subscription = delivery.subscriptionId();
            boolean first = met.add(subscription);
            if (delivery.type().isControl()) {
                barred.add(subscription);
                return first;
            }
            return !barred.contains(subscription) && taken.add(Slot.of(delivery));
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
