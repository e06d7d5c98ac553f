package dev.sluice.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Keys;
import dev.sluice.coordinate.Lease;
import dev.sluice.model.InvalidInputException;
import io.nats.client.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Coordination in NATS JetStream (2.10 or newer): values in the key-value bucket {@code {name}}, leases in one bucket per
 * lifetime, {@code {name}-leases-{milliseconds}}, whose entries end by their age. What failure means:
 *
 * <ul>
 *   <li>No answer within the request timeout, no connection, no JetStream, no leader of a stream, or access refused:
 *       StoreUnavailableException. Nothing that reached anybody is tried twice, and nothing is queued while there is no
 *       connection.
 *   <li>The server restarts: values and leases are as before. Before it may be trusted after a crash of its machine, its
 *       {@code sync_interval} must be {@code always}: by default a write is answered up to two minutes before it is synced.
 *       With three replicas a write is answered by a majority instead, and one machine may die.
 *   <li>The connection is lost: it is made again, to any of the servers, and {@code changed} is called. A silent server is
 *       left after about six seconds.
 *   <li>The end of a lease, and the opening of one, is told to no watcher: {@link #leases} finds it,
 *       up to about a second late. A stream's leader decides which have ended; a new leader decides by its own clock, so the
 *       servers' clocks must agree to within a small part of a lifetime.
 *   <li>{@link Lease#put} looks at the lease, unless it was renewed in the first half of its time, and then writes: a lease
 *       that ends between the two does not keep the value from being written. The compare-and-set still refuses it when another member wrote the value.
 *   <li>Members may have different lifetimes, during a change of configuration: a name is looked for in all lease buckets.
 *   <li>A deleted value leaves a marker of its revision behind, for ever; the bucket must not be purged of them while the
 *       cluster runs.
 * </ul>
 */
public final class NatsCoordinationStore implements CoordinationStore {
    public static final String DEFAULT_BUCKET = "sluice-coordination";

    private final NatsLink nats;
    private final String name;
    private final int replicas;
    private final Map<String, NatsBucket> buckets = new ConcurrentHashMap<>();
    private final Set<NatsWatch> watches = ConcurrentHashMap.newKeySet();

    /**
     * Does not connect yet: a server that is away is found by the first call, which also makes the buckets.
     *
     * @param bucket of this cluster's values
     * @param replicas of each bucket that is made; 3 where NATS has three servers
     * @param timeout after which a call gives up
     */
    public NatsCoordinationStore(NatsAccess access, String bucket, int replicas, Duration timeout) {
        this(new OwnConnection(access, timeout), bucket, replicas, timeout);
    }

    /**
     * A store over the application's own connection, which stays open when the store is closed. It needs {@code
     * maxReconnects(-1)}: a connection that jnats has closed is never opened again. Best with {@code reportNoResponders()}
     * and {@code reconnectBufferSize(0)} as well: without the first a call during an election of a stream's leader fails at
     * once instead of being tried again within its timeout, without the second a write that was sent just when the
     * connection broke may arrive after it is back. It is then refused, or is what its caller wanted, by its expected
     * revision. How soon a silent server is left depends on its {@code pingInterval}.
     */
    public static NatsCoordinationStore over(Connection connection, String bucket, int replicas, Duration timeout) {
        return new NatsCoordinationStore(new BorrowedConnection(connection), bucket, replicas, timeout);
    }

    private NatsCoordinationStore(ConnectionSource source, String bucket, int replicas, Duration timeout) {
        if (!bucket.matches("[A-Za-z0-9_-]+")) {
            throw new InvalidInputException(
                    "a bucket of NATS is named by letters, digits, '_' and '-', not \"" + bucket + '"');
        }
        this.nats = new NatsLink(source, timeout);
        this.name = bucket;
        this.replicas = replicas;
    }

    private NatsBucket values() {
        return bucket(name, Duration.ZERO);
    }

    private NatsBucket bucket(String bucket, Duration maxAge) {
        return buckets.computeIfAbsent(bucket, missing -> {
            BucketStream stream = new BucketStream(missing, maxAge, replicas);
            nats.call("open the bucket " + missing, () -> {
                stream.make(nats.management());
                return stream;
            });
            return new NatsBucket(nats, missing);
        });
    }

    /** Of two that open it at once in different buckets, both look after they have written: never do both keep it. */
    @Override
    public Optional<Lease> openLease(String name, String holder, Duration ttl) {
        Keys.check(name);
        NatsBucket bucket =
                bucket(leaseBuckets() + Keys.checkLifetime(ttl).toMillis(), Duration.ofMillis(ttl.toMillis()));
        long sentAt = System.nanoTime();
        OptionalLong opened = bucket.put(name, holder.getBytes(UTF_8), ABSENT);
        if (opened.isEmpty()) {
            return Optional.empty();
        }
        NatsLease lease = new NatsLease(bucket, this::values, name, holder, opened.getAsLong(), ttl, sentAt);
        if (allLeaseBuckets().stream()
                .anyMatch(other -> !other.stream().equals(bucket.stream())
                        && other.get(name).isPresent())) {
            lease.close();
            return Optional.empty();
        }
        return Optional.of(lease);
    }

    @Override
    public Map<String, String> leases(String prefix) {
        Keys.checkPrefix(prefix);
        Map<String, String> holders = new TreeMap<>();
        for (NatsBucket bucket : allLeaseBuckets()) {
            bucket.listLive(prefix).forEach(lease -> holders.put(lease.key(), lease.text()));
        }
        return holders;
    }

    private String leaseBuckets() {
        return name + "-leases-";
    }

    private List<NatsBucket> allLeaseBuckets() {
        String prefix = BucketStream.nameOf(leaseBuckets());
        return nats.call("list the buckets", () -> nats.management().getStreamNames()).stream()
                .filter(stream -> stream.matches(prefix + "\\d+"))
                .map(stream -> new NatsBucket(nats, BucketStream.bucketOf(stream)))
                .toList();
    }

    @Override
    public Optional<Entry> get(String key) {
        Keys.check(key);
        return values().get(key);
    }

    @Override
    public List<Entry> list(String prefix) {
        Keys.checkPrefix(prefix);
        return List.copyOf(values().list(prefix));
    }

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        Keys.check(key);
        Keys.checkValue(value);
        return values().put(key, value, expected);
    }

    @Override
    public boolean delete(String key, long expected) {
        Keys.check(key);
        return values().delete(key, expected);
    }

    @Override
    public Watch watch(String prefix, Consumer<String> changed) {
        NatsWatch watch = new NatsWatch(nats, this::values, Keys.checkPrefix(prefix), changed, watches::remove);
        watches.add(watch);
        watch.start();
        return watch;
    }

    @Override
    public void close() {
        watches.forEach(NatsWatch::close);
        nats.close();
    }
}
