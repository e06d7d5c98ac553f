package dev.sluice.route;

import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which way a match goes. Positions are kept by owner: the gateway a subscription names, or one of a few shares of those
 * that name none. Which gateway serves an owner may change, its position stays. Any thread may call.
 */
final class Router {
    private static final int SHARES = 64;

    private final RoutingMode mode;
    private final int maxFanout;
    private final Ring ring = new Ring();
    private volatile Set<String> known = Set.of();
    private volatile List<String> live = List.of();

    Router(RoutingMode mode, int maxFanout) {
        this.mode = mode;
        this.maxFanout = maxFanout;
    }

    static Recipient owner(Subscription subscription) {
        if (!subscription.gatewayId().isEmpty()) {
            return new Recipient.Gateway(subscription.gatewayId());
        }
        return new Recipient.RingShare((int) Long.remainderUnsigned(Fnv1a64.hash(subscription.id()), SHARES));
    }

    /** The gateway that serves an owner now; null: nobody does, it waits. */
    @Nullable
    String gatewayOf(Recipient owner) {
        if (owner instanceof Recipient.Broadcast broadcast) {
            return known.contains(broadcast.gateway()) ? broadcast.gateway() : null;
        }
        if (owner instanceof Recipient.Gateway gateway && known.contains(gateway.id())) {
            return gateway.id();
        }
        return mode == RoutingMode.CONSISTENT_HASH ? ring.place(owner.stored()) : null;
    }

    private boolean isKnown(Recipient owner) {
        return owner instanceof Recipient.Gateway gateway && known.contains(gateway.id());
    }

    /** Whether others than the gateway itself may get what is its: they do not know all its subscriptions. */
    boolean isServedByOthers(Recipient owner) {
        return mode != RoutingMode.DIRECT && !isKnown(owner);
    }

    /**
     * The subscription, if this gateway serves it without having registered it, and so must be told; else null. What is
     * broadcast is nobody's to take over: a gateway looks for itself whether it is its own.
     */
    @Nullable
    Subscription foreign(Subscription subscription, String gateway) {
        return mode == RoutingMode.CONSISTENT_HASH && !subscription.gatewayId().equals(gateway) ? subscription : null;
    }

    /** Whether it goes to everybody, because nobody knows whose it is. */
    boolean isBroadcast(Subscription subscription) {
        return mode == RoutingMode.BROADCAST && !live.isEmpty() && !known.contains(subscription.gatewayId());
    }

    boolean broadcasts() {
        return mode == RoutingMode.BROADCAST;
    }

    /** Whether a broadcast goes to all that are live, and not to some of them. */
    boolean reachesAll() {
        return maxFanout == 0;
    }

    /** Whether it goes to everybody as soon as there is anybody. */
    boolean isHomeless(Recipient owner) {
        return broadcasts() && !(owner instanceof Recipient.Broadcast) && !isKnown(owner);
    }

    boolean isKnown(String gateway) {
        return known.contains(gateway);
    }

    List<String> live() {
        return live;
    }

    /** Who gets it then, as owners of the lowest class: all that are live, or so many, always the same for a subscription. */
    List<Recipient> audience(Subscription subscription) {
        List<String> all = live;
        int size = all.size();
        int most = maxFanout == 0 ? size : Math.min(maxFanout, size);
        int first = most == size ? 0 : (int) Long.remainderUnsigned(Fnv1a64.hash(subscription.id()), size);
        Recipient owner = owner(subscription);
        List<Recipient> some = new ArrayList<>(most);
        for (int k = 0; k < most; k++) {
            some.add(new Recipient.Broadcast(all.get((first + k) % size), owner));
        }
        return some;
    }

    /** Whether the subscription's matches are this owner's, in this class. */
    boolean leads(Subscription subscription, Recipient owner, Priority priority) {
        if (isBroadcast(subscription)) {
            return priority == Priority.LOW && audience(subscription).contains(owner);
        }
        return subscription.priority() == priority && owner(subscription).equals(owner);
    }

    /** Returns the owners that another gateway, or none, serves from now on. */
    synchronized List<Recipient> changed(Set<String> nowKnown, Set<String> nowLive) {
        Set<String> before = known;
        known = Collections.unmodifiableSet(new TreeSet<>(nowKnown));
        live = List.copyOf(new TreeSet<>(nowLive));
        Set<String> moved = new TreeSet<>(before);
        moved.removeAll(known);
        for (String owner : known) {
            if (!before.contains(owner)) {
                moved.add(owner);
            }
        }
        if (mode == RoutingMode.CONSISTENT_HASH) {
            // One that is away keeps what it was given until its grace is over.
            moved.addAll(ring.change(known));
            // All at once, so that where one is placed does not depend on who was asked for first.
            for (int k = 0; k < SHARES; k++) {
                ring.place(new Recipient.RingShare(k).stored());
            }
        }
        return moved.stream().map(Recipient::parse).toList();
    }
}
