package dev.sluice.route;

import dev.sluice.match.Matcher;
import dev.sluice.match.SubscriptionIndex;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Replacement;
import dev.sluice.subscribe.SubscriptionEnd;
import dev.sluice.subscribe.SubscriptionStoreException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Subscriptions that survive a crash, told in the order of the real registry. */
final class SimulatedRegistry implements KnownSubscriptions {
    final Map<String, Subscription> byId = new TreeMap<>();
    private SubscriptionIndex index = new SubscriptionIndex();

    @Nullable
    Streamer listener;

    /** The next one that is added is stored, and nobody is told any more. */
    boolean crashesNext;

    /** Others go on between the change and the moment the index shows it. */
    Runnable beforeShown = () -> {};

    /** What is to be kept cannot be kept. */
    boolean failing;

    void add(Subscription subscription) {
        boolean crashes = crashesNext;
        crashesNext = false;
        add(subscription, crashes);
    }

    /** All that come together. */
    void addAll(List<Subscription> batch) {
        List<Replacement> changes = batch.stream()
                .map(each -> new Replacement(byId.get(each.id()), each))
                .toList();
        if (listener == null) {
            throw new IllegalStateException("nobody listens");
        }
        listener.beforeStore(changes);
        for (Replacement each : changes) {
            listener.beforeAdd(each.later(), each.earlier());
            show(each.earlier(), each.later());
        }
        listener.afterAdd(batch);
    }

    private void show(@Nullable Subscription earlier, Subscription later) {
        byId.put(later.id(), later);
        if (earlier == null) {
            index.add(later);
        } else {
            index.replace(earlier, later);
        }
    }

    /** @param crashes right after it was stored: nobody is told */
    void add(Subscription subscription, boolean crashes) {
        Subscription earlier = byId.get(subscription.id());
        Replacement replacement = new Replacement(earlier, subscription);
        if (listener != null) {
            listener.beforeStore(List.of(replacement));
        }
        if (listener != null && !crashes) {
            listener.beforeAdd(subscription, earlier);
            beforeShown.run();
        }
        show(earlier, subscription);
        if (listener != null && !crashes) {
            listener.afterAdd(List.of(subscription));
        }
    }

    void remove(String id, SubscriptionEnd why) {
        Subscription gone = byId.remove(id);
        if (gone != null) {
            index.remove(gone);
            if (listener != null) {
                listener.afterRemove(gone, why);
            }
        }
    }

    @Override
    public Matcher matcher() {
        return index.matcher();
    }

    @Override
    public Optional<Subscription> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    @Override
    public List<Subscription> ofGateway(String gatewayId) {
        return byId.values().stream()
                .filter(each -> each.gatewayId().equals(gatewayId))
                .toList();
    }

    @Override
    public Set<String> gatewayIds() {
        return byId.values().stream().map(Subscription::gatewayId).collect(Collectors.toSet());
    }

    @Override
    public void started(Collection<Subscription> subscriptions) {
        if (failing) {
            throw new SubscriptionStoreException("the simulated disk is full", null);
        }
        for (Subscription each : subscriptions) {
            Subscription now = byId.get(each.id());
            if (now != null && now.equals(each)) {
                Subscription later = new Subscription(
                        now.id(),
                        now.gatewayId(),
                        now.tenant(),
                        now.collection(),
                        now.documentId(),
                        now.filter(),
                        now.priority(),
                        now.ttl(),
                        Optional.empty(),
                        now.failover(),
                        now.transitions());
                byId.put(later.id(), later);
                index.replace(now, later);
            }
        }
    }
}
