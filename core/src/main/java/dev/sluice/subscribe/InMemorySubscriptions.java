package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.model.Subscription;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Subscriptions and gateways that live as long as this object. */
public final class InMemorySubscriptions implements SubscriptionStore {
    private static final Comparator<String> BY_UTF8 =
            Comparator.comparing(text -> text.getBytes(StandardCharsets.UTF_8), (a, b) -> Arrays.compareUnsigned(a, b));

    private final NavigableMap<String, Subscription> subscriptions = new TreeMap<>(BY_UTF8);
    private final NavigableMap<String, GatewayAddress> gateways = new TreeMap<>(BY_UTF8);

    @Override
    public synchronized void save(Collection<Subscription> saved) {
        saved.forEach(each -> subscriptions.put(each.id(), each));
    }

    @Override
    public synchronized void remove(Collection<String> ids) {
        ids.forEach(subscriptions::remove);
    }

    @Override
    public void load(Consumer<Subscription> each) {
        List<Subscription> all;
        synchronized (this) {
            all = List.copyOf(subscriptions.values());
        }
        all.forEach(each);
    }

    @Override
    public synchronized void saveGateway(GatewayAddress gateway) {
        gateways.put(gateway.id(), gateway);
    }

    @Override
    public synchronized void removeGateway(String id) {
        gateways.remove(id);
    }

    @Override
    public synchronized List<GatewayAddress> gateways() {
        return List.copyOf(gateways.values());
    }

    @Override
    public void close() {}
}
