package dev.sluice.coordinate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * What a cluster agrees on: a few small values that change only by compare-and-set, and leases that end by the store's
 * own clock. All coordination logic is written once over this; etcd, NATS KV, JDBC and memory are thin adapters that pass
 * one contract test. Any thread may call any method; calls block.
 *
 * <ul>
 *   <li>A {@link #put} or {@link #delete} that returns has taken effect, survives a crash of the store, and is seen by
 *       every later {@link #get} of anybody. Of several that expect the same revision at most one succeeds.
 *   <li>A revision is never given twice for one key, not even after the key was deleted.
 *   <li>{@link #list}, {@link #leases} and {@link #watch} are hints: they may be a moment old. Only a compare-and-set
 *       proves anything.
 *   <li>{@link StoreUnavailableException} leaves a write undecided: it has happened, or not, or will a little later. Whoever
 *       wants to know reads the key again.
 * </ul>
 *
 * Keys are the path {@code segment/segment/…}, each segment of 1 to 128 characters out of {@code A-Z a-z 0-9 _ - .} (see
 * {@link Keys#check}); a prefix is such a path and ends with a slash. Values are at most {@value #MAX_VALUE} bytes.
 */
public interface CoordinationStore extends AutoCloseable {
    /** The revision of a key that is not there: what {@link #put} expects of a key it is to create. */
    long ABSENT = 0;

    int MAX_VALUE = 512 * 1024;

    /**
     * Takes the lease of this name for this holder; empty while another holder's, or the same holder's, is live. A lease
     * that ended is never revived: its holder opens another, under another holder name.
     *
     * @param name whose life it stands for: the member's key path, such as {@code streamer/node-1}
     * @param holder who exactly: the incarnation, unique to one start of one process
     * @param ttl how long it lives without a renewal, counted by the store's clock
     */
    Optional<Lease> openLease(String name, String holder, Duration ttl);

    /** The live leases whose names begin with this prefix, by name; holder by name. */
    Map<String, String> leases(String prefix);

    Optional<Entry> get(String key);

    /** All entries below the prefix, by key in order. */
    List<Entry> list(String prefix);

    /**
     * Writes, if the key's revision is the expected one ({@link #ABSENT}: if there is no such key).
     *
     * @return the new revision, larger than the one before; empty when refused, and then nothing has changed
     */
    OptionalLong put(String key, byte[] value, long expected);

    /** Deletes, if the key's revision is the expected one; whether it did. */
    boolean delete(String key, long expected);

    /**
     * Calls {@code changed} soon after something below the prefix changed, with the key or the lease's name that did; with the
     * prefix itself when the store does not know which, such as after a lost connection came back, when something may have.
     * Several changes may make one call; a call may be for nothing; the end of a lease may make none. The callback runs on a
     * thread of the store and must return at once.
     */
    Watch watch(String prefix, Consumer<String> changed);

    /** Whether this process alone can reach the store: then no other member can take a claim that a member of this process loses. */
    default boolean isOfOneProcess() {
        return false;
    }

    /** Ends watches and connections. Open leases are left to expire: closing a client is not leaving a cluster. */
    @Override
    void close();

    /** Until closed, changes are told. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }
}
