package dev.sluice.route;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One match on its way to one gateway. It belongs to the lane that holds it, and is guarded by its lock. */
final class Owed {
    private static final int LONGEST_HISTORY = 20;
    private static final int OVERHEAD = 200;

    final Sender sender;
    final @Nullable Pending pending;
    final String subscriptionId;
    final Priority priority;
    final EventType type;
    final OutgoingEvent event;
    final boolean redelivery;
    final boolean representative;
    final int slot;
    final long bytes;
    final long since;

    /** The dead letter that is being tried again; null for all others. */
    final @Nullable String letterId;

    /** 0 until it is first sent: numbers follow the order of sending, or a gateway would drop the later of them. */
    long seq;

    int attempts;

    /** So often in a row the gateway broke down over it and could do others. */
    int blamed;

    /** The subscription, when the gateway it goes to did not register it and must be told; null for all others. */
    @Nullable
    Subscription foreign;

    /** Its subscription as it was matched, and the number of that one's start; null: it has ended. */
    private @Nullable Subscription subscription;

    private long start;

    /** It is settled, or on its way to the dead letters: it is not sent again whatever else happens to its batch. */
    boolean done;

    /** Its partition counts it as done, and does so once. Guarded by the partition's lock. */
    boolean acknowledged;

    /** Its subscription ended while it was under way: it is not sent again. */
    boolean abandoned;

    private final List<String> history = new ArrayList<>(0);

    Owed(
            Sender sender,
            @Nullable Pending pending,
            String subscriptionId,
            Priority priority,
            EventType type,
            OutgoingEvent event,
            boolean redelivery,
            boolean representative,
            @Nullable String letterId,
            long since) {
        this.sender = sender;
        this.pending = pending;
        this.subscriptionId = subscriptionId;
        this.priority = priority;
        this.type = type;
        this.event = event;
        this.redelivery = redelivery;
        this.representative = representative;
        this.letterId = letterId;
        this.since = since;
        this.slot = ClassQueue.slot(subscriptionId, sender.partition());
        this.bytes = OVERHEAD + size(event);
    }

    Owed introducing(@Nullable Subscription subscription) {
        foreign = subscription;
        return this;
    }

    Owed of(@Nullable Subscription matched, long startNumber) {
        subscription = matched;
        start = startNumber;
        return this;
    }

    private Delivery.Scope scope() {
        return subscription == null
                ? Delivery.Scope.UNKNOWN
                : new Delivery.Scope(subscription.tenant(), subscription.collection(), start);
    }

    private static long size(OutgoingEvent event) {
        var document = event.event().document();
        return document == null ? 0 : document.length();
    }

    /** Whether anybody still counts on it. */
    boolean isWanted() {
        return sender.isOpen() && !abandoned && (pending == null || !pending.voided);
    }

    Delivery delivery(String progress) {
        return new Delivery(
                subscriptionId,
                type,
                event,
                seq,
                sender.partition(),
                sender.token(),
                redelivery,
                progress,
                representative ? priority : null,
                scope());
    }

    void failed(String line) {
        if (history.size() == LONGEST_HISTORY) {
            history.removeFirst();
        }
        history.add(line);
    }

    List<String> history() {
        return List.copyOf(history);
    }
}
