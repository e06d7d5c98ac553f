package dev.sluice.subscribe;

import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions by id, by gateway and by deadline, in memory. Any thread may call; every call is short. It decides
 * nothing: changes come from the registry, one after the other.
 */
final class SubscriptionTable {
    /** So many does one page look at. */
    private static final int LOOKED_AT = 20_000;

    /** A page that has so many is full, so that a reply is never much larger than a request may be. */
    private static final int PAGE_CHARACTERS = 1 << 20;

    private final LongSupplier nanos;
    private final long begun;
    private final NavigableMap<String, Held> byId = new TreeMap<>();
    private final Map<String, Held> firstOfGateway = new HashMap<>();
    private final Names gateways = new Names();
    private final Names tenants = new Names();
    private final Names collections = new Names();
    private final ExpiryWheel wheel = new ExpiryWheel();
    private long characters;

    SubscriptionTable(LongSupplier nanos) {
        this.nanos = nanos;
        this.begun = nanos.getAsLong();
    }

    private int now() {
        return (int) ((nanos.getAsLong() - begun) / 1_000_000_000L);
    }

    synchronized int size() {
        return byId.size();
    }

    synchronized long characters() {
        return characters;
    }

    synchronized int sizeOfGateway(String gatewayId) {
        return gateways.count(gatewayId);
    }

    synchronized int sizeOfTenant(String tenant) {
        return tenants.count(tenant);
    }

    synchronized Set<String> gatewayIds() {
        return Set.copyOf(firstOfGateway.keySet());
    }

    synchronized List<SubscriptionRecord> ofGateway(String gatewayId) {
        List<SubscriptionRecord> found = new ArrayList<>(gateways.count(gatewayId));
        for (Held held = firstOfGateway.get(gatewayId); held != null; held = held.afterInGateway) {
            found.add(held.record);
        }
        return found;
    }

    /** Equal to this one, made of texts that others have already: a million do not keep a million copies of a name. */
    synchronized Subscription shared(Subscription s) {
        return new Subscription(
                s.id(),
                gateways.shared(s.gatewayId()),
                tenants.shared(s.tenant()),
                collections.shared(s.collection()),
                s.documentId(),
                s.filter(),
                s.priority(),
                s.ttl().equals(Subscription.DEFAULT_TTL) ? Subscription.DEFAULT_TTL : s.ttl(),
                s.from(),
                s.failover(),
                s.transitions());
    }

    /** In the place of what has its id; its TTL begins. */
    synchronized void put(SubscriptionRecord record) {
        Held held = byId.get(record.id());
        if (held == null) {
            held = new Held(record);
            byId.put(record.id(), held);
        } else {
            wheel.remove(held);
            unlink(held);
            held.record = record;
        }
        link(held);
        held.deadline = deadline(held.subscription());
        wheel.add(held);
    }

    /** In the place of one with the same id, gateway, tenant and collection, whose TTL goes on. */
    synchronized void replace(SubscriptionRecord record) {
        Held held = byId.get(record.id());
        if (held != null) {
            characters += SubscriptionQuotas.characters(record.definition())
                    - SubscriptionQuotas.characters(held.subscription());
            held.record = record;
        }
    }

    synchronized void remove(String id) {
        Held held = byId.remove(id);
        if (held != null) {
            wheel.remove(held);
            unlink(held);
        }
    }

    /** Its TTL begins again. Returns its gateway, or null when there is no such subscription. */
    synchronized @Nullable String renew(String id) {
        Held held = byId.get(id);
        if (held == null) {
            return null;
        }
        held.deadline = deadline(held.subscription());
        return held.subscription().gatewayId();
    }

    synchronized int renewGateway(String gatewayId) {
        int renewed = 0;
        for (Held held = firstOfGateway.get(gatewayId); held != null; held = held.afterInGateway) {
            held.deadline = deadline(held.subscription());
            renewed++;
        }
        return renewed;
    }

    /**
     * Takes out those that are due, up to so many.
     *
     * @param excused gateways whose subscriptions begin another TTL instead
     */
    synchronized List<SubscriptionRecord> takeDue(int most, Predicate<String> excused) {
        List<SubscriptionRecord> ended = new ArrayList<>();
        wheel.turn(now(), most, held -> {
            if (excused.test(held.subscription().gatewayId())) {
                held.deadline = deadline(held.subscription());
                wheel.add(held);
                return false;
            }
            byId.remove(held.subscription().id());
            unlink(held);
            return ended.add(held.record);
        });
        return ended;
    }

    synchronized SubscriptionPage page(SubscriptionQuery query) {
        Collection<Held> candidates = query.gatewayId().isEmpty()
                ? byId.tailMap(query.afterId(), false).values()
                : ofGatewayBehind(query.gatewayId(), query.afterId());
        List<Subscription> page = new ArrayList<>();
        int lookedAt = 0;
        long shown = 0;
        String last = query.afterId();
        for (Held held : candidates) {
            if (page.size() == query.limit() || shown > PAGE_CHARACTERS || lookedAt++ == LOOKED_AT) {
                return new SubscriptionPage(page, last);
            }
            last = held.subscription().id();
            if (query.accepts(held.subscription())) {
                page.add(held.subscription());
                shown += SubscriptionQuotas.characters(held.subscription());
            }
        }
        return new SubscriptionPage(page, "");
    }

    private Collection<Held> ofGatewayBehind(String gatewayId, String afterId) {
        NavigableMap<String, Held> found = new TreeMap<>();
        for (Held held = firstOfGateway.get(gatewayId); held != null; held = held.afterInGateway) {
            found.put(held.subscription().id(), held);
        }
        return found.tailMap(afterId, false).values();
    }

    private int deadline(Subscription subscription) {
        return now() + 1 + (int) subscription.ttl().toSeconds();
    }

    private void link(Held held) {
        Subscription subscription = held.subscription();
        characters += SubscriptionQuotas.characters(subscription);
        gateways.add(subscription.gatewayId());
        tenants.add(subscription.tenant());
        collections.add(subscription.collection());
        Held first = firstOfGateway.put(gateways.shared(subscription.gatewayId()), held);
        held.beforeInGateway = null;
        held.afterInGateway = first;
        if (first != null) {
            first.beforeInGateway = held;
        }
    }

    private void unlink(Held held) {
        Subscription subscription = held.subscription();
        Held before = held.beforeInGateway;
        Held after = held.afterInGateway;
        if (before != null) {
            before.afterInGateway = after;
        } else if (after != null) {
            firstOfGateway.put(subscription.gatewayId(), after);
        } else {
            firstOfGateway.remove(subscription.gatewayId());
        }
        if (after != null) {
            after.beforeInGateway = before;
        }
        characters -= SubscriptionQuotas.characters(subscription);
        gateways.remove(subscription.gatewayId());
        tenants.remove(subscription.tenant());
        collections.remove(subscription.collection());
    }
}
