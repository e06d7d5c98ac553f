package dev.sluice.route;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.lane.Flows;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.lane.PendingDelivery;
import dev.sluice.lane.Sender;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Operation;
import dev.sluice.model.Position;
import dev.sluice.saved.SavedPosition;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * RESYNC that was asked for: each is sent to every gateway that serves the subscription, and stays part of the saved position
 * until all have acknowledged it. Partition 0 acts on them, so that a subscription is told once. For the partition's thread.
 */
final class ResyncOrders {
    private static final int GIVEN_AT_ONCE = 500;

    /** More are not listed in the saved position: a lower revision says that the subscriptions' records owe them. */
    private static final int MOST_LISTED = 500;

    private final StreamerContext context;
    private final Sender sender;
    private final Flows flows;
    private final Map<String, Order> orders = new LinkedHashMap<>();

    /** Ids of those that some gateway may still have to be given. */
    private final Set<String> ungiven = new LinkedHashSet<>();

    /** One subscription's RESYNC. */
    private static final class Order {
        private final SubscriptionRecord subscription;
        private final Map<Lane, PendingDelivery> given = new LinkedHashMap<>();
        private final Set<Lane> acknowledged = new LinkedHashSet<>();

        Order(SubscriptionRecord subscription) {
            this.subscription = subscription;
        }
    }

    ResyncOrders(StreamerContext context, Sender sender, Flows flows) {
        this.context = context;
        this.sender = sender;
        this.flows = flows;
    }

    void order(SubscriptionRecord subscription) {
        if (sender.partition() == 0) {
            orders.put(subscription.id(), new Order(subscription));
            ungiven.add(subscription.id());
        }
    }

    void ended(String subscriptionId) {
        orders.remove(subscriptionId);
        ungiven.remove(subscriptionId);
    }

    /** Looks at every order again: another gateway may have to be told, or no gateway is left that has not acknowledged it. */
    void lanesChanged() {
        List.copyOf(orders.values()).forEach(this::endIfAcknowledged);
        ungiven.addAll(orders.keySet());
    }

    boolean isEmpty() {
        return orders.isEmpty();
    }

    boolean isOwed(String subscriptionId) {
        return orders.containsKey(subscriptionId);
    }

    /** The revision to save, of that which is applied. */
    long revision(long applied) {
        return orders.size() <= MOST_LISTED
                ? applied
                : orders.values().stream()
                                .mapToLong(each -> each.subscription.resync())
                                .min()
                                .orElse(applied)
                        - 1;
    }

    List<SavedPosition.Member> owed() {
        return orders.size() > MOST_LISTED ? List.of() : listed();
    }

    private List<SavedPosition.Member> listed() {
        return orders.values().stream()
                .map(each -> new SavedPosition.Member(each.subscription.id(), each.subscription.created()))
                .toList();
    }

    void settled(PendingDelivery delivery) {
        Order order = delivery.type == EventType.RESYNC ? orders.get(delivery.subscriptionId()) : null;
        if (order == null) {
            return;
        }
        order.given.forEach((lane, each) -> {
            if (each == delivery) {
                order.acknowledged.add(lane);
            }
        });
        endIfAcknowledged(order);
    }

    private void endIfAcknowledged(Order order) {
        List<Lane> lanes = lanes(order);
        if (!lanes.isEmpty() && order.acknowledged.containsAll(lanes)) {
            ended(order.subscription.id());
        }
    }

    /**
     * Hands RESYNC to lanes that have room. Returns these lanes: they are to be pumped.
     *
     * @param log whose place the RESYNC names
     */
    Set<Lane> give(String log, Position at) {
        Set<Lane> filled = new LinkedHashSet<>();
        for (String id : ungiven.stream().limit(GIVEN_AT_ONCE).toList()) {
            Order order = orders.get(id);
            SubscriptionRecord now = context.registry().find(id);
            if (order == null || now == null || !now.isSameIncarnation(order.subscription)) {
                ended(id);
                continue;
            }
            // Behind those that were not looked at yet, unless it was given to all.
            ungiven.remove(id);
            if (!give(order, now, log, at, filled)) {
                ungiven.add(id);
            }
        }
        return filled;
    }

    /** Returns whether every gateway that hears the subscription was given it. */
    private boolean give(Order order, SubscriptionRecord now, String log, Position at, Set<Lane> filled) {
        List<Lane> lanes = lanes(order);
        for (Lane lane : lanes) {
            if (!order.given.containsKey(lane)
                    && lane.hasRoomToCatchUp(now.definition().priority(), sender)) {
                PendingDelivery delivery = delivery(now, lane, resync(log, at, now));
                lane.add(List.of(delivery));
                order.given.put(lane, delivery);
                filled.add(lane);
                context.counters().resyncs.increment();
            }
        }
        return !lanes.isEmpty() && order.given.keySet().containsAll(lanes);
    }

    private List<Lane> lanes(Order order) {
        SubscriptionRecord now = context.registry().find(order.subscription.id());
        List<GroupKey> groups =
                now == null ? List.of() : context.router().hearers().groupsOf(now);
        return groups.stream()
                .flatMap(key -> Stream.ofNullable(context.lanes().serving(key)))
                .toList();
    }

    private PendingDelivery delivery(SubscriptionRecord subscription, Lane lane, ChangeEvent resync) {
        return new PendingDelivery(
                        sender,
                        null,
                        flows.of(subscription.id(), lane),
                        GroupKey.of(subscription, lane.gatewayId()).priority(),
                        new PendingDelivery.Content(EventType.RESYNC, new OutgoingEvent(resync), false, false),
                        null,
                        context.turns().nanos())
                .of(subscription)
                .introducing(context.router().foreign(subscription.definition(), lane.gatewayId()));
    }

    /** Each order has an id of its own: a gateway must not take it for a repeat. */
    private ChangeEvent resync(String log, Position at, SubscriptionRecord subscription) {
        long hash = Fnv1a64.hash("resync/ordered/" + sender.token() + "/" + subscription.resync() + "/"
                + context.turns().now().toEpochMilli());
        return event(new EventId(at.time(), hash), log, context.turns().now().toEpochMilli());
    }

    static ChangeEvent event(EventId id, String log, long now) {
        return new ChangeEvent(
                id, log, Operation.RESYNC, "", "", DocumentId.NONE, null, null, now, OptionalLong.empty(), false);
    }
}
