package dev.sluice.coordinate.memory;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of one store share. Every method is one atomic step. Revisions are one sequence over all keys. Watchers
 * are told by the thread that made the change, after the step, so that a simulation stays deterministic.
 */
final class SharedMemory {
    private final LongSupplier nanos;
    private final Journal journal;
    private final NavigableMap<String, Entry> values;
    private final NavigableMap<String, MemoryLease> leases = new TreeMap<>();
    private final List<MemoryWatch> watches = new CopyOnWriteArrayList<>();
    private long lastRevision;

    SharedMemory(LongSupplier nanos, Journal journal, NavigableMap<String, Entry> values, long lastRevision) {
        this.nanos = nanos;
        this.journal = journal;
        this.values = values;
        this.lastRevision = lastRevision;
    }

    synchronized @Nullable MemoryLease open(String name, String holder, Duration ttl) {
        MemoryLease there = leases.get(name);
        if (there != null && there.isLive(nanos.getAsLong())) {
            return null;
        }
        MemoryLease lease = new MemoryLease(this, name, holder, ttl.toNanos(), nanos.getAsLong());
        leases.put(name, lease);
        return lease;
    }

    synchronized boolean renew(MemoryLease lease) {
        boolean live = isLive(lease);
        if (live) {
            lease.liveFrom(nanos.getAsLong());
        }
        return live;
    }

    synchronized boolean isLive(MemoryLease lease) {
        return leases.get(lease.name()) == lease && lease.isLive(nanos.getAsLong());
    }

    void close(MemoryLease lease) {
        boolean ended;
        synchronized (this) {
            ended = leases.remove(lease.name(), lease);
        }
        if (ended) {
            tell(lease.name());
        }
    }

    synchronized Map<String, String> leases(String prefix) {
        leases.values().removeIf(lease -> !lease.isLive(nanos.getAsLong()));
        Map<String, String> holders = new TreeMap<>();
        below(leases, prefix).forEach((name, lease) -> holders.put(name, lease.holder()));
        return holders;
    }

    synchronized Optional<Entry> get(String key) {
        return Optional.ofNullable(values.get(key)).map(SharedMemory::copy);
    }

    synchronized List<Entry> list(String prefix) {
        return below(values, prefix).values().stream().map(SharedMemory::copy).toList();
    }

    OptionalLong put(String key, byte[] value, long expected, BooleanSupplier allowed) {
        Entry entry;
        synchronized (this) {
            if (revisionOf(key) != expected || !allowed.getAsBoolean()) {
                return OptionalLong.empty();
            }
            entry = new Entry(key, value.clone(), lastRevision + 1);
            journal.written(entry, entries());
            lastRevision = entry.revision();
            values.put(key, entry);
        }
        tell(key);
        return OptionalLong.of(entry.revision());
    }

    boolean delete(String key, long expected) {
        synchronized (this) {
            Entry entry = values.get(key);
            if (entry == null || entry.revision() != expected) {
                return false;
            }
            journal.deleted(key, lastRevision + 1, entries());
            lastRevision++;
            values.remove(key);
        }
        tell(key);
        return true;
    }

    void add(MemoryWatch watch) {
        watches.add(watch);
    }

    void remove(MemoryWatch watch) {
        watches.remove(watch);
    }

    synchronized void closeJournal() {
        journal.close();
    }

    void tell(String key) {
        watches.forEach(watch -> watch.tell(key));
    }

    private Collection<Entry> entries() {
        return Collections.unmodifiableCollection(values.values());
    }

    private long revisionOf(String key) {
        Entry entry = values.get(key);
        return entry == null ? CoordinationStore.ABSENT : entry.revision();
    }

    private static Entry copy(Entry entry) {
        return new Entry(entry.key(), entry.value().clone(), entry.revision());
    }

    /** The character behind the slash that ends the prefix ends the range. */
    private static <T> NavigableMap<String, T> below(NavigableMap<String, T> all, String prefix) {
        return all.subMap(prefix, false, prefix.substring(0, prefix.length() - 1) + '0', false);
    }
}
