package dev.sluice.testkit.simulation;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The store itself, as it should be: values by revision, leases by its own clock. What makes it hard to use is between it
 * and its {@link SimulatedClient}s.
 */
public final class SimulatedStore {
    private record Held(String holder, long until, Duration ttl) {}

    private record Watcher(String prefix, Consumer<String> changed) {}

    private final Simulation simulation;
    private final boolean comparesRevisions;
    private final boolean looksBeforeItWrites;
    private final Map<String, Entry> values = new TreeMap<>();
    private final Map<String, Held> leases = new TreeMap<>();
    private final List<Watcher> watchers = new ArrayList<>();
    private Consumer<Entry> onPut = entry -> {};
    private long revisions;

    /** @param comparesRevisions true; false in a simulation that shall fail */
    public SimulatedStore(Simulation simulation, boolean comparesRevisions) {
        this.simulation = simulation;
        this.comparesRevisions = comparesRevisions;
        this.looksBeforeItWrites = simulation.chance(0.5);
    }

    /** As NATS does: whether a lease lives and what is written under it are two requests. */
    boolean looksBeforeItWrites() {
        return looksBeforeItWrites;
    }

    /** Shown every value before it replaces the one that is there. */
    public void onPut(Consumer<Entry> check) {
        onPut = check;
    }

    public Optional<Entry> get(String key) {
        return Optional.ofNullable(values.get(key));
    }

    public List<Entry> list(String prefix) {
        List<Entry> found = new ArrayList<>();
        values.forEach((key, entry) -> {
            if (key.startsWith(prefix)) {
                found.add(entry);
            }
        });
        return found;
    }

    OptionalLong put(String key, byte[] value, long expected) {
        if (comparesRevisions && revision(key) != expected) {
            return OptionalLong.empty();
        }
        Entry entry = new Entry(key, value, ++revisions);
        onPut.accept(entry);
        values.put(key, entry);
        tell(key);
        return OptionalLong.of(entry.revision());
    }

    OptionalLong putUnder(String name, String holder, String key, byte[] value, long expected) {
        return isLive(name, holder) ? put(key, value, expected) : OptionalLong.empty();
    }

    boolean delete(String key, long expected) {
        if (revision(key) != expected) {
            return false;
        }
        values.remove(key);
        tell(key);
        return true;
    }

    private long revision(String key) {
        Entry entry = values.get(key);
        return entry == null ? CoordinationStore.ABSENT : entry.revision();
    }

    boolean open(String name, String holder, Duration ttl) {
        Held held = leases.get(name);
        if (held != null && now() - held.until < 0) {
            return false;
        }
        leases.put(name, new Held(holder, now() + ttl.toNanos(), ttl));
        tell(name);
        return true;
    }

    boolean renew(String name, String holder) {
        Held held = leases.get(name);
        if (held == null || !isLive(name, holder)) {
            return false;
        }
        leases.put(name, new Held(holder, now() + held.ttl.toNanos(), held.ttl));
        return true;
    }

    void end(String name, String holder) {
        if (isLive(name, holder)) {
            leases.remove(name);
            tell(name);
        }
    }

    boolean isLive(String name, String holder) {
        Held held = leases.get(name);
        return held != null && held.holder.equals(holder) && now() - held.until < 0;
    }

    public Map<String, String> leases(String prefix) {
        Map<String, String> live = new TreeMap<>();
        leases.forEach((name, held) -> {
            if (name.startsWith(prefix) && isLive(name, held.holder)) {
                live.put(name, held.holder);
            }
        });
        return live;
    }

    CoordinationStore.Watch watch(String prefix, Consumer<String> changed) {
        Watcher watcher = new Watcher(prefix, changed);
        watchers.add(watcher);
        return () -> watchers.remove(watcher);
    }

    private void tell(String key) {
        for (Watcher watcher : List.copyOf(watchers)) {
            if (key.startsWith(watcher.prefix)) {
                watcher.changed.accept(key);
            }
        }
    }

    private long now() {
        return simulation.clock().nanos();
    }
}
