package dev.sluice.lane;

import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Home;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which gateway serves which group. Cursors belong to groups, so they stay when another gateway serves one. Any thread may call. */
public final class Router {
    /** Shares of the subscriptions that no gateway holds. */
    public static final int SHARES = 64;

    private final RoutingMode mode;
    private final int maxFanout;
    private final Ring ring = new Ring();
    private final Map<String, Set<GroupKey>> served = new ConcurrentHashMap<>();
    private volatile Set<String> known = Set.of();
    private volatile Hearers hearers;

    public Router(RoutingMode mode, int maxFanout) {
        this.mode = mode;
        this.maxFanout = maxFanout;
        this.hearers = new Hearers(List.of(), maxFanout);
    }

    /** The gateway that serves a group now; null: none does, the group waits. */
    @Nullable
    public String gatewayOf(GroupKey key) {
        return switch (key.home()) {
            case Home.Gateway gateway -> known.contains(gateway.id()) ? gateway.id() : null;
            case Home.Share share -> mode == RoutingMode.CONSISTENT_HASH ? ring.place(share.text()) : null;
            case Home.Broadcast all -> known.contains(key.gateway()) ? key.gateway() : null;
        };
    }

    /**
     * The subscription, if this gateway serves it without having registered it, and so must be told; else null. A broadcast is
     * told to no gateway: each looks for itself whether the subscription is its own.
     */
    @Nullable
    public Subscription foreign(Subscription subscription, String gateway) {
        return mode == RoutingMode.CONSISTENT_HASH && !subscription.gatewayId().equals(gateway) ? subscription : null;
    }

    public boolean isKnown(String gateway) {
        return known.contains(gateway);
    }

    /** Which gateways hear a subscription now. */
    public Hearers hearers() {
        return hearers;
    }

    /** The keys of all groups that this gateway serves. */
    public Set<GroupKey> servedBy(String gateway) {
        Set<GroupKey> keys = served.get(gateway);
        return keys == null ? served.computeIfAbsent(gateway, this::keys) : keys;
    }

    private Set<GroupKey> keys(String gateway) {
        Set<GroupKey> keys = new HashSet<>();
        for (Priority priority : Priority.values()) {
            keys.add(new GroupKey(new Home.Gateway(gateway), "", priority));
            for (int k = 0; k < SHARES && mode == RoutingMode.CONSISTENT_HASH; k++) {
                keys.add(new GroupKey(new Home.Share(k), "", priority));
            }
        }
        keys.add(GroupKey.broadcast(gateway));
        keys.removeIf(key -> !gateway.equals(gatewayOf(key)));
        return Collections.unmodifiableSet(keys);
    }

    /** These gateways are known now. Returns whether groups are served by others than before. */
    synchronized boolean changed(Set<String> nowKnown) {
        if (known.equals(nowKnown)) {
            return false;
        }
        known = Set.copyOf(nowKnown);
        List<String> inOrder = mode == RoutingMode.BROADCAST ? List.copyOf(new TreeSet<>(nowKnown)) : List.of();
        hearers = new Hearers(inOrder, maxFanout);
        if (mode == RoutingMode.CONSISTENT_HASH) {
            // A gateway that is away keeps what it was given until its grace is over.
            ring.change(known);
            // All at once, so that where a share is placed does not depend on which was asked for first.
            for (int k = 0; k < SHARES; k++) {
                ring.place(new Home.Share(k).text());
            }
        }
        served.clear();
        return true;
    }
}
