package dev.sluice.route;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Sends RESYNC to subscriptions whose positions were lost, or for which an operator ordered it. An order is part of the
 * saved position until every gateway concerned has acknowledged it, so a crash does not lose it. Guarded by its
 * partition's lock.
 */
final class ResyncOrders {
    /** Bounds the time the partition's lock is held. */
    private static final int LOOKED_AT_ONCE = 500;

    private final Sender sender;
    private final Surroundings around;
    private final PartitionHead head;
    private final Map<String, Order> orders = new LinkedHashMap<>();

    /** Ids of orders that not every lane concerned has been given. */
    private final LinkedHashSet<String> waiting = new LinkedHashSet<>();

    private long ordered;

    /** State of a RESYNC of one subscription: the deliveries per lane, and which of them are acknowledged. */
    private static final class Order {
        final Map<Lane, Owed> given = new HashMap<>();
        final Set<Owed> acknowledged = new HashSet<>();
        boolean complete;

        boolean isDone() {
            return complete && acknowledged.containsAll(given.values());
        }
    }

    ResyncOrders(Sender sender, Surroundings around, PartitionHead head) {
        this.sender = sender;
        this.around = around;
        this.head = head;
    }

    void order(Collection<String> subscriptionIds) {
        ordered++;
        for (String id : subscriptionIds) {
            orders.put(id, new Order());
            waiting.add(id);
        }
    }

    /** For the saved position. */
    ToResync outstanding() {
        return orders.isEmpty() ? ToResync.NONE : new ToResync(false, orders.keySet());
    }

    boolean isEmpty() {
        return orders.isEmpty();
    }

    void ended(String subscriptionId) {
        orders.remove(subscriptionId);
    }

    /** What waited of the subscription was withdrawn, because it goes another way now. */
    void giveAgain(String subscriptionId) {
        Order order = orders.get(subscriptionId);
        if (order != null) {
            order.given.clear();
            order.complete = false;
            waiting.add(subscriptionId);
        }
    }

    /** Gateways came or went: other lanes may be concerned. */
    void rerouted() {
        waiting.clear();
        orders.forEach((id, order) -> {
            order.complete = false;
            waiting.add(id);
        });
    }

    void settled(List<Owed> done) {
        if (orders.isEmpty()) {
            return;
        }
        for (Owed each : done) {
            Order order = each.type == EventType.RESYNC ? orders.get(each.subscriptionId) : null;
            if (order != null && order.given.containsValue(each)) {
                order.acknowledged.add(each);
                if (order.isDone()) {
                    orders.remove(each.subscriptionId);
                }
            }
        }
    }

    /** Hands RESYNC to lanes that have room. Returns those lanes: they are to be pumped when the lock is free. */
    List<Lane> give() {
        Set<Lane> filled = new HashSet<>();
        if (!waiting.isEmpty() && !head.isNowhere()) {
            OutgoingEvent resync = new OutgoingEvent(resync());
            List<String> notYet = new ArrayList<>();
            for (int k = Math.min(waiting.size(), LOOKED_AT_ONCE); k > 0; k--) {
                String id = waiting.removeFirst();
                Order order = orders.get(id);
                Subscription subscription = around.known().find(id).orElse(null);
                if (order == null || subscription == null) {
                    orders.remove(id);
                } else if (!give(order, subscription, resync, filled)) {
                    notYet.add(id);
                } else if (order.isDone()) {
                    orders.remove(id);
                }
            }
            waiting.addAll(notYet);
        }
        return List.copyOf(filled);
    }

    /** Returns whether every lane concerned has it now. */
    private boolean give(Order order, Subscription subscription, OutgoingEvent resync, Set<Lane> filled) {
        boolean broadcast = around.router().isBroadcast(subscription);
        Priority priority = broadcast ? Priority.LOW : subscription.priority();
        List<Lane> lanes = lanes(subscription, broadcast);
        order.given.keySet().retainAll(lanes);
        order.complete = !lanes.isEmpty();
        for (Lane lane : lanes) {
            if (order.given.containsKey(lane)) {
                continue;
            }
            if (lane.hasRoomToCatchUp(priority)) {
                Owed owed = owed(subscription, priority, resync, lane);
                boolean unused = lane.add(List.of(owed));
                order.given.put(lane, owed);
                filled.add(lane);
                around.counters().resyncs.increment();
            } else {
                order.complete = false;
            }
        }
        return order.complete;
    }

    private List<Lane> lanes(Subscription subscription, boolean broadcast) {
        List<Recipient> owners =
                broadcast ? around.router().audience(subscription) : List.of(Router.owner(subscription));
        List<Lane> lanes = new ArrayList<>();
        for (Recipient owner : owners) {
            Lane lane = around.lanes().serving(owner);
            if (lane != null) {
                lanes.add(lane);
            }
        }
        return lanes;
    }

    private Owed owed(Subscription subscription, Priority priority, OutgoingEvent resync, Lane lane) {
        return new Owed(
                        sender,
                        null,
                        subscription.id(),
                        priority,
                        EventType.RESYNC,
                        resync,
                        false,
                        false,
                        null,
                        around.turns().nanos())
                .of(subscription, 0)
                .introducing(around.router().foreign(subscription, lane.gatewayId()));
    }

    /** Each order has an id of its own: a gateway must not take it for a repeat. */
    private ChangeEvent resync() {
        Map.Entry<String, EventId> where = head.at().marker().positions().firstEntry();
        long now = around.turns().now().toEpochMilli();
        long hash = Fnv1a64.hash("resync/ordered/" + sender.token() + "/" + ordered + "/" + now);
        return new ChangeEvent(
                new EventId(where.getValue().time(), hash),
                where.getKey(),
                Operation.RESYNC,
                "",
                "",
                DocumentId.NONE,
                null,
                null,
                now,
                OptionalLong.empty(),
                false);
    }
}
