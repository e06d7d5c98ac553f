package dev.sluice.testkit.simulation;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The store as one simulated process sees it: through the {@link Weather}. */
public final class SimulatedClient implements CoordinationStore {
    private final SimulatedStore store;
    private final Node client;
    private final Node server;
    private final Weather weather;

    public SimulatedClient(SimulatedStore store, Node client, Node server, Weather weather) {
        this.store = store;
        this.client = client;
        this.server = server;
        this.weather = weather;
    }

    private <T> T ask(String what, Supplier<T> request) {
        return weather.ask(client, server, what, request);
    }

    @Override
    public Optional<Lease> openLease(String name, String holder, Duration ttl) {
        boolean opened = ask("open " + name, () -> store.open(name, holder, ttl));
        return opened ? Optional.of(new SimulatedLease(name, holder)) : Optional.empty();
    }

    @Override
    public Map<String, String> leases(String prefix) {
        return ask("leases", () -> store.leases(prefix));
    }

    @Override
    public Optional<Entry> get(String key) {
        return ask("get " + key, () -> store.get(key));
    }

    @Override
    public List<Entry> list(String prefix) {
        return ask("list " + prefix, () -> store.list(prefix));
    }

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        return ask("put " + key, () -> store.put(key, value, expected));
    }

    @Override
    public boolean delete(String key, long expected) {
        return ask("delete " + key, () -> store.delete(key, expected));
    }

    /** Hints come, or not; nothing may depend on them. */
    @Override
    public Watch watch(String prefix, Consumer<String> changed) {
        int life = client.life();
        return store.watch(prefix, key -> {
            if (client.isUp() && client.life() == life && weather.carriesHint(client, server)) {
                changed.accept(key);
            }
        });
    }

    @Override
    public void close() {}

    private final class SimulatedLease implements Lease {
        private final String name;
        private final String holder;

        SimulatedLease(String name, String holder) {
            this.name = name;
            this.holder = holder;
        }

        @Override
        public boolean renew() {
            return ask("renew", () -> store.renew(name, holder));
        }

        @Override
        public OptionalLong put(String key, byte[] value, long expected) {
            if (!store.looksBeforeItWrites()) {
                return ask("put " + key, () -> store.putUnder(name, holder, key, value, expected));
            }
            boolean live = ask("look at " + name, () -> store.isLive(name, holder));
            return live ? SimulatedClient.this.put(key, value, expected) : OptionalLong.empty();
        }

        @Override
        public void close() {
            try {
                ask("end " + name, () -> {
                    store.end(name, holder);
                    return true;
                });
            } catch (StoreUnavailableException e) {
                // left to expire
            }
        }
    }
}
