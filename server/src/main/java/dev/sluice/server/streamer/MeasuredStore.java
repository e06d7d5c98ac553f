package dev.sluice.server.streamer;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** The store, with the time it takes to keep a claim and its position, and the times it does not. */
record MeasuredStore(CoordinationStore inner, Timer latency, Counter errors) implements CoordinationStore {
    private static final String CLAIMS = "/claims/";

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        if (!key.contains(CLAIMS)) {
            return inner.put(key, value, expected);
        }
        try {
            return latency.record(() -> inner.put(key, value, expected));
        } catch (StoreUnavailableException e) {
            errors.increment();
            throw e;
        }
    }

    @Override
    public Optional<Lease> openLease(String name, String holder, Duration ttl) {
        return inner.openLease(name, holder, ttl);
    }

    @Override
    public Map<String, String> leases(String prefix) {
        return inner.leases(prefix);
    }

    @Override
    public Optional<Entry> get(String key) {
        return inner.get(key);
    }

    @Override
    public List<Entry> list(String prefix) {
        return inner.list(prefix);
    }

    @Override
    public boolean delete(String key, long expected) {
        return inner.delete(key, expected);
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changed) {
        return inner.watch(prefix, changed);
    }

    @Override
    public boolean isOfOneProcess() {
        return inner.isOfOneProcess();
    }

    /** Left to whoever opened the store. */
    @Override
    public void close() {}
}
