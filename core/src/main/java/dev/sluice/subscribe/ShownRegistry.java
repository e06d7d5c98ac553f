package dev.sluice.subscribe;

import dev.sluice.match.Matcher;
import dev.sluice.match.SubscriptionIndex;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Index, records and ring of changes behind one lock: a reader sees all of a change or nothing of it. {@link
 * SubscriptionRegistry} shows changes here after they were stored, one portion at a time.
 *
 * <p>The lock is a {@link ReentrantReadWriteLock} because a reader may call a method that reads again: with a lock that
 * is not re-entrant it would wait for a writer that waits for it. A writer that waits keeps new readers back, so readers
 * cannot starve it.
 */
final class ShownRegistry implements RegistryView {
    static final int RING = 65_536;

    private static final Logger LOG = LoggerFactory.getLogger(ShownRegistry.class);
    /** 1,024 sets of about a thousand records at a million subscriptions. */
    private static final int BITS = 10;

    private final SubscriptionIndex index = new SubscriptionIndex();
    private final RecordTable records = new RecordTable(BITS);
    private final Map<Home, Members> byHome = new HashMap<>();
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final List<Runnable> wakeUps = new CopyOnWriteArrayList<>();
    private ChangeRing ring = new ChangeRing(1, 0);
    private volatile long identity;
    private volatile long revision;

    /** Odd while a portion is being shown; {@link #find} uses it to read without the lock. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the write lock only
    private volatile long version;

    /** The records of one home, with the one object that stands for it in all of them. */
    private record Members(Home home, RecordTable records) {
        private static Members of(Home home) {
            // A share holds a 64th of those that no gateway holds; a broadcast home may hold all.
            int bits = home instanceof Home.Gateway ? 0 : home instanceof Home.Share ? 4 : BITS;
            return new Members(home, new RecordTable(bits));
        }
    }

    SubscriptionIndex index() {
        return index;
    }

    /** Takes in a stored record, before anything is shown. */
    void load(SubscriptionRecord record) {
        index.add(record.definition());
        put(null, record);
    }

    /** Everything is loaded: from now on changes are shown. */
    void begin(RegistryMark mark) {
        identity = mark.identity();
        revision = mark.revision();
        ring = new ChangeRing(RING, mark.revision());
    }

    /** Shows changes that are stored. What fails in the index is logged: the record counts. */
    void show(List<IndexedChange> portion) {
        write(() -> {
            for (IndexedChange each : portion) {
                RegistryChange change = each.change();
                ring.add(change);
                SubscriptionRecord now = change.now();
                if (now != null) {
                    put(change.before(), now);
                } else {
                    remove(change.before());
                }
                apply(each);
                revision = change.revision();
            }
        });
        wakeUps.forEach(ShownRegistry::run);
    }

    private void write(Runnable work) {
        lock.writeLock().lock();
        try {
            version++;
            VarHandle.storeStoreFence();
            work.run();
        } finally {
            version++;
            lock.writeLock().unlock();
        }
    }

    private void apply(IndexedChange change) {
        try {
            change.apply(index);
        } catch (Throwable bug) {
            LOG.atError()
                    .addKeyValue("subscription", change.change().id())
                    .setCause(bug)
                    .log("the index failed to take in a change of a subscription");
        }
    }

    private static void run(Runnable wakeUp) {
        try {
            wakeUp.run();
        } catch (Throwable bug) {
            LOG.atError().setCause(bug).log("a listener failed at the news that the registry has changed");
        }
    }

    private void put(@Nullable SubscriptionRecord before, SubscriptionRecord now) {
        if (before != null && !before.home().equals(now.home())) {
            leave(before);
        }
        records.put(now);
        byHome.computeIfAbsent(now.home(), Members::of).records.put(now);
    }

    private void remove(@Nullable SubscriptionRecord before) {
        if (before != null) {
            records.remove(before.id());
            leave(before);
        }
    }

    private void leave(SubscriptionRecord record) {
        Members members = byHome.get(record.home());
        if (members != null) {
            members.records.remove(record.id());
            if (members.records.size() == 0) {
                byHome.remove(record.home());
            }
        }
    }

    /** Returns an equal home, the object that other records have already. For the one thread that makes changes. */
    Home shared(Home home) {
        Members members = byHome.get(home);
        return members == null ? home : members.home;
    }

    @Override
    public Matcher matcher() {
        return index.matcher();
    }

    @Override
    public <T> T reading(Supplier<T> work) {
        lock.readLock().lock();
        try {
            return work.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public long revision() {
        return revision;
    }

    @Override
    public long identity() {
        return identity;
    }

    /** Takes no lock unless a change is being shown at that moment: within {@link #reading} it never does. */
    @Override
    public @Nullable SubscriptionRecord find(String id) {
        long before = version;
        if (before % 2 == 0) {
            SubscriptionRecord found = records.find(id);
            VarHandle.acquireFence();
            if (version == before) {
                return found;
            }
        }
        return locked(id);
    }

    private @Nullable SubscriptionRecord locked(String id) {
        lock.readLock().lock();
        try {
            return records.find(id);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public @Nullable List<RegistryChange> changesAfter(long above, int most) {
        if (above == revision) {
            return List.of();
        }
        lock.readLock().lock();
        try {
            return ring.after(above, most);
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public void forEach(Consumer<SubscriptionRecord> each) {
        records.forEach(each);
    }

    @Override
    public int portions() {
        return records.sets();
    }

    @Override
    public void forEachIn(int portion, Consumer<SubscriptionRecord> each) {
        records.forEachOf(portion, each);
    }

    @Override
    public void forEachOf(Home home, Consumer<SubscriptionRecord> each) {
        Members members = byHome.get(home);
        if (members != null) {
            members.records.forEach(each);
        }
    }

    @Override
    public List<Home> homes() {
        return reading(() -> List.copyOf(byHome.keySet()));
    }

    @Override
    public void onChange(Runnable wakeUp) {
        wakeUps.add(wakeUp);
    }
}
