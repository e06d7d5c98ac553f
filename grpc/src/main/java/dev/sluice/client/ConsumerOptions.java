package dev.sluice.client;

import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an {@link EventConsumer} consumes. Everything but an address and a callback has a default: from now on, all events,
 * documents as BSON, marker in memory, stop when events were missed.
 */
public final class ConsumerOptions {
    /** Where a consumer without a marker begins. */
    public enum Start {
        NOW,
        OLDEST
    }

    /** With heartbeats, whether the callback wants them or not: without them a quiet stream and a dead one look the same. */
    final SubscribeRequest.Builder request =
            SubscribeRequest.newBuilder().setEncoding(Encoding.BSON).setHeartbeats(true);

    final List<String> addresses = new ArrayList<>();
    MarkerStore markers = new MemoryMarkerStore();
    Start start = Start.NOW;
    OutOfRangePolicy whenOutOfRange = OutOfRangePolicy.STOP;
    ConsumerListener listener = new ConsumerListener() {};
    Duration saveInterval = Duration.ofMillis(500);
    Duration firstPause = Duration.ofMillis(100);
    Duration longestPause = Duration.ofSeconds(10);
    Duration silenceLimit = Duration.ofMinutes(1);
    boolean passHeartbeats;

    @Nullable
    RepeatFilter repeats;

    @Nullable
    String token;

    @Nullable
    Path trustedCertificates;

    @Nullable
    Path ownCertificate;

    @Nullable
    Path ownKey;

    boolean tls;

    @Nullable
    EventCallback perEvent;

    @Nullable
    BatchCallback perBatch;

    ConsumerOptions() {}

    /** A name for logs and lists on the server. */
    public ConsumerOptions label(String name) {
        request.setConsumerId(name);
        return this;
    }

    /** {@code host:port} of Pullers that watch the same backends; when one fails the next is tried, from the same marker. */
    public ConsumerOptions addresses(Collection<String> servers) {
        addresses.addAll(servers);
        return this;
    }

    public ConsumerOptions address(String server) {
        addresses.add(server);
        return this;
    }

    /** Keeps the marker here, and goes on from it. */
    public ConsumerOptions markers(MarkerStore store) {
        markers = store;
        return this;
    }

    /** Where to begin when the store has no marker. Default: now. */
    public ConsumerOptions start(Start where) {
        start = where;
        return this;
    }

    /** Saves the marker at most this often, the first one at once, and when the consumer is closed. Default: half a second. */
    public ConsumerOptions saveInterval(Duration interval) {
        saveInterval = interval;
        return this;
    }

    public ConsumerOptions partitions(Collection<Integer> partitions, int numPartitions) {
        request.addAllPartitions(partitions).setNumPartitions(numPartitions);
        return this;
    }

    public ConsumerOptions tenants(Collection<String> tenants) {
        request.addAllTenants(tenants);
        return this;
    }

    public ConsumerOptions collections(Collection<String> collections) {
        request.addAllCollections(collections);
        return this;
    }

    /** While far behind, one event per touched document instead of all its changes. */
    public ConsumerOptions coalesceOnCatchUp() {
        request.setCoalesceOnCatchUp(true);
        return this;
    }

    /** Heartbeats reach the callback like other events, of operation {@code heartbeat}. */
    public ConsumerOptions heartbeats() {
        passHeartbeats = true;
        return this;
    }

    /** Documents as relaxed extended JSON instead of BSON. */
    public ConsumerOptions json() {
        request.setEncoding(Encoding.JSON);
        return this;
    }

    public ConsumerOptions whenOutOfRange(OutOfRangePolicy policy) {
        whenOutOfRange = policy;
        return this;
    }

    public ConsumerOptions listener(ConsumerListener told) {
        listener = told;
        return this;
    }

    /** Does not pass on what was handled before, as far as so many documents tell. */
    public ConsumerOptions dropRepeats(int maxDocuments) {
        repeats = new RepeatFilter(maxDocuments);
        return this;
    }

    /** The pause after a failure: this long at first, doubling up to the longest, with jitter. */
    public ConsumerOptions backoff(Duration first, Duration longest) {
        firstPause = first;
        longestPause = longest;
        return this;
    }

    /**
     * Connects again, at the next address, when the server sent nothing for this long, not even a heartbeat (one per second).
     * Default: one minute.
     */
    public ConsumerOptions silenceLimit(Duration limit) {
        if (!limit.isPositive()) {
            throw new IllegalArgumentException("The silence limit of a consumer must be positive, not " + limit);
        }
        silenceLimit = limit;
        return this;
    }

    /** Sent as {@code authorization: Bearer …}. */
    public ConsumerOptions token(String secret) {
        token = secret;
        return this;
    }

    /** Connects with TLS and trusts what the system trusts. */
    public ConsumerOptions tls() {
        tls = true;
        return this;
    }

    /** Connects with TLS and trusts these certificates (PEM). */
    public ConsumerOptions tls(Path certificates) {
        tls = true;
        trustedCertificates = certificates;
        return this;
    }

    /** Shows this certificate (chain and key, PEM) to servers that demand one; needs {@link #tls}. */
    public ConsumerOptions certificate(Path chain, Path key) {
        ownCertificate = chain;
        ownKey = key;
        return this;
    }

    /** Starts consuming, one event at a time. */
    public EventConsumer start(EventCallback callback) {
        perEvent = callback;
        return started();
    }

    /** Starts consuming, batch by batch: the fast way for those who can write many at once. */
    public EventConsumer startBatches(BatchCallback callback) {
        perBatch = callback;
        return started();
    }

    private EventConsumer started() {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("A consumer needs the address of a Puller: host:port.");
        }
        return new EventConsumer(this);
    }
}
