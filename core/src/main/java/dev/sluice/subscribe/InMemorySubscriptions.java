package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** Subscriptions and gateways that live as long as this object. */
public final class InMemorySubscriptions implements SubscriptionStore {
    private static final Comparator<String> BY_UTF8 =
            Comparator.comparing(text -> text.getBytes(StandardCharsets.UTF_8), (a, b) -> Arrays.compareUnsigned(a, b));

    private final NavigableMap<String, SubscriptionRecord> records = new TreeMap<>(BY_UTF8);
    private final NavigableMap<String, GatewayAddress> gateways = new TreeMap<>(BY_UTF8);
    private final long identity = ThreadLocalRandom.current().nextLong() | 1;
    private long revision;

    @Override
    public synchronized void save(Collection<SubscriptionRecord> saved) {
        for (SubscriptionRecord each : saved) {
            records.put(each.id(), each);
            revision = Math.max(revision, each.revision());
        }
    }

    @Override
    public synchronized void remove(Collection<String> ids, long removed) {
        ids.forEach(records::remove);
        revision = Math.max(revision, removed);
    }

    @Override
    public RegistryMark load(Consumer<SubscriptionRecord> each) {
        List<SubscriptionRecord> all;
        RegistryMark mark;
        synchronized (this) {
            all = List.copyOf(records.values());
            mark = new RegistryMark(identity, revision);
        }
        all.forEach(each);
        return mark;
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
