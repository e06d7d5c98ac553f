package dev.sluice.coordinate.memory;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Keys;
import dev.sluice.coordinate.Lease;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The store of a cluster that lives in one JVM: a single node, a test, a simulation. Each handle is a client; {@link
 * #anotherClient()} makes one more. Watchers are called by the thread that made the change. What failure means here:
 *
 * <ul>
 *   <li>This JVM ends: leases are gone; values too, unless {@linkplain #persisted persisted}, and then every value whose
 *       {@code put} had returned is there again.
 *   <li>The disk is full or fails: writes throw StoreUnavailableException; reads and leases go on. The
 *       first write after the disk is well again brings the journal in order.
 * </ul>
 */
public final class InMemoryCoordinationStore implements CoordinationStore {
    private final SharedMemory memory;
    private final boolean first;
    private final List<Watch> watches = new CopyOnWriteArrayList<>();

    private InMemoryCoordinationStore(SharedMemory memory, boolean first) {
        this.memory = memory;
        this.first = first;
    }

    /** An empty store that forgets everything with this JVM. */
    public InMemoryCoordinationStore() {
        this(System::nanoTime);
    }

    /** @param nanos the store's clock, by which leases end: elapsed time such as {@code System::nanoTime} */
    public InMemoryCoordinationStore(LongSupplier nanos) {
        this(new SharedMemory(nanos, Journal.NONE, new TreeMap<>(), ABSENT), true);
    }

    /**
     * A store whose values are kept in this directory, for a cluster of one node. One process at a time may have it open; the
     * directory is free again when this handle is closed.
     *
     * @throws dev.sluice.coordinate.StoreUnavailableException when another has it open, or it cannot be read or written
     */
    public static InMemoryCoordinationStore persisted(Path directory) {
        FileJournal.Opened opened = FileJournal.open(directory);
        return new InMemoryCoordinationStore(
                new SharedMemory(System::nanoTime, opened.journal(), opened.values(), opened.lastRevision()), true);
    }

    /** One more client of the same store. */
    public InMemoryCoordinationStore anotherClient() {
        return new InMemoryCoordinationStore(memory, false);
    }

    @Override
    public Optional<Lease> openLease(String name, String holder, Duration ttl) {
        Lease lease = memory.open(Keys.check(name), holder, Keys.checkLifetime(ttl));
        if (lease != null) {
            memory.tell(name);
        }
        return Optional.ofNullable(lease);
    }

    @Override
    public Map<String, String> leases(String prefix) {
        return memory.leases(Keys.checkPrefix(prefix));
    }

    @Override
    public Optional<Entry> get(String key) {
        return memory.get(Keys.check(key));
    }

    @Override
    public List<Entry> list(String prefix) {
        return memory.list(Keys.checkPrefix(prefix));
    }

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        return memory.put(Keys.check(key), Keys.checkValue(value), expected, () -> true);
    }

    @Override
    public boolean delete(String key, long expected) {
        return memory.delete(Keys.check(key), expected);
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changed) {
        MemoryWatch watch = new MemoryWatch(Keys.checkPrefix(prefix), changed, this::forget);
        watches.add(watch);
        memory.add(watch);
        return watch;
    }

    @Override
    public boolean isOfOneProcess() {
        return true;
    }

    private void forget(MemoryWatch watch) {
        memory.remove(watch);
        watches.remove(watch);
    }

    @Override
    public void close() {
        watches.forEach(Watch::close);
        if (first) {
            memory.closeJournal();
        }
    }
}
