package dev.sluice.coordinate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** One client's way to a store: counts calls, and fails them while the store is away. */
final class MeteredStore implements CoordinationStore {
    private final CoordinationStore store;
    private final Map<String, Long> calls = new TreeMap<>();
    private boolean away;
    private Consumer<String> before = what -> {};
    private Consumer<String> after = what -> {};
    private Predicate<String> refused = key -> false;

    MeteredStore(CoordinationStore store) {
        this.store = store;
    }

    void away(boolean isAway) {
        away = isAway;
    }

    /** Runs this in every call, with its name: {@code put} and the key, or the method alone. */
    void before(Consumer<String> hook) {
        before = hook;
    }

    /** Runs this after every write, with {@code put} and the key: what it throws is a lost answer. */
    void after(Consumer<String> hook) {
        after = hook;
    }

    /** Refuses to write these keys, although nobody else has. */
    void refuse(Predicate<String> keys) {
        refused = keys;
    }

    /** By method, {@code list} also by the last part of its prefix. */
    Map<String, Long> calls() {
        return calls;
    }

    private void call(String what) {
        if (away) {
            throw new StoreUnavailableException("away");
        }
        calls.merge(what, 1L, Long::sum);
        before.accept(what);
    }

    @Override
    public Optional<Lease> openLease(String name, String holder, Duration ttl) {
        call("openLease");
        return store.openLease(name, holder, ttl).map(MeteredLease::new);
    }

    @Override
    public Map<String, String> leases(String prefix) {
        call("leases");
        return store.leases(prefix);
    }

    @Override
    public Optional<Entry> get(String key) {
        call("get");
        before.accept("get " + key);
        return store.get(key);
    }

    @Override
    public List<Entry> list(String prefix) {
        call(prefix.contains("/claims/") ? "list claims" : "list");
        return store.list(prefix);
    }

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        call("put");
        before.accept("put " + key);
        OptionalLong written = refused.test(key) ? OptionalLong.empty() : store.put(key, value, expected);
        after.accept("put " + key);
        return written;
    }

    @Override
    public boolean delete(String key, long expected) {
        call("delete");
        return store.delete(key, expected);
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changed) {
        call("watch");
        return store.watch(prefix, changed);
    }

    @Override
    public void close() {
        store.close();
    }

    private final class MeteredLease implements Lease {
        private final Lease lease;

        MeteredLease(Lease lease) {
            this.lease = lease;
        }

        @Override
        public boolean renew() {
            call("renew");
            return lease.renew();
        }

        @Override
        public OptionalLong put(String key, byte[] value, long expected) {
            call("put under lease");
            before.accept("put " + key);
            OptionalLong written = refused.test(key) ? OptionalLong.empty() : lease.put(key, value, expected);
            after.accept("put " + key);
            return written;
        }

        @Override
        public void close() {
            if (!away) {
                lease.close();
            }
        }
    }
}
