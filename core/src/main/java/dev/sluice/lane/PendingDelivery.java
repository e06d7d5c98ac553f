package dev.sluice.lane;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.Priority;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One match on its way to one gateway. It belongs to the lane that holds it, and is guarded by its lock. */
public final class PendingDelivery {
    private static final int LONGEST_HISTORY = 20;
    private static final int OVERHEAD_BYTES = 200;

    public final Sender sender;
    final Flow flow;
    final Priority priority;
    public final EventType type;
    final OutgoingEvent event;
    final boolean redelivery;

    /** It stands for other subscriptions of its gateway, too. */
    public final boolean representative;

    private final List<String> except;

    /** Its subscription is stuck and delivered apart: nothing of others waits for it. */
    final boolean apart;

    final long bytes;
    final long since;

    /** The event it is part of; null for dead letters that are sent again, and for RESYNC that was asked for. */
    public final @Nullable GroupEvent given;

    /** The dead letter that is being tried again; null for all others. */
    final @Nullable String letterId;

    /** 0 until it is first sent: numbers follow the order of sending, or a gateway would drop the later of them. */
    long seq;

    int attempts;

    /** How often in a row the gateway broke down over it and could do others. */
    int blamed;

    /** When the gateway first answered that it wants it later; 0: it did not. */
    long laterSince;

    /** The subscription, when the gateway it goes to did not register it and must be told; null for all others. */
    @Nullable
    Subscription foreign;

    /** It is settled, or on its way to the dead letters: it is not sent again whatever else happens to its batch. */
    boolean done;

    /** It was withdrawn: it is not sent again, and counts for no cursor. */
    public volatile boolean withdrawn;

    /** Set when it was withdrawn in flight. For the partition's thread. */
    @Nullable
    public Awaited awaited;

    /** Its partition has counted it as settled. For the partition's thread. */
    public boolean counted;

    private @Nullable Subscription subscription;
    private long incarnation;
    /** Of the last change of what the subscription matches, as deliveries name it; 0: none. */
    private long changedAt;

    private final List<String> history = new ArrayList<>(0);

    /**
     * What is told.
     *
     * @param redelivery the gateway may have had it
     * @param representative it stands for other subscriptions of its gateway, too
     * @param except those that it does not stand for
     */
    public record Content(
            EventType type, OutgoingEvent event, boolean redelivery, boolean representative, List<String> except) {
        public Content(EventType type, OutgoingEvent event, boolean redelivery, boolean representative) {
            this(type, event, redelivery, representative, List.of());
        }
    }

    public PendingDelivery(
            Sender sender,
            @Nullable GroupEvent given,
            Flow flow,
            Priority priority,
            Content content,
            @Nullable String letterId,
            long since) {
        this.sender = sender;
        this.given = given;
        this.flow = flow;
        this.priority = priority;
        this.type = content.type;
        this.event = content.event;
        this.redelivery = content.redelivery;
        this.representative = content.representative;
        this.except = content.except;
        this.apart = given != null && given.isStuck();
        this.letterId = letterId;
        this.since = since;
        this.bytes = OVERHEAD_BYTES + size(event);
    }

    public String subscriptionId() {
        return flow.subscriptionId;
    }

    public PendingDelivery introducing(@Nullable Subscription definition) {
        foreign = definition;
        return this;
    }

    public PendingDelivery of(SubscriptionRecord matched) {
        subscription = matched.definition();
        incarnation = matched.created();
        // A change withdraws neither dead letters that are sent again nor an ordered RESYNC: they name none.
        changedAt = given == null ? 0 : matched.changedAt();
        return this;
    }

    /** The revision of the last change of what the subscription matches, of the record that was matched. */
    public long changedAt() {
        return changedAt;
    }

    private Delivery.Scope scope() {
        return subscription == null
                ? Delivery.Scope.UNKNOWN
                : new Delivery.Scope(subscription.tenant(), subscription.collection(), incarnation);
    }

    private static long size(OutgoingEvent event) {
        return length(event.event().document()) + length(event.event().updateDescription());
    }

    private static long length(@Nullable RawBson document) {
        return document == null ? 0 : document.length();
    }

    /** Whether it is still to be delivered. */
    boolean isWanted() {
        return sender.isOpen() && !withdrawn;
    }

    Delivery delivery(String progress) {
        return new Delivery(
                flow.subscriptionId,
                type,
                event,
                seq,
                sender.partition(),
                sender.token(),
                redelivery,
                progress,
                representative ? priority : null,
                scope(),
                changedAt,
                except);
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
