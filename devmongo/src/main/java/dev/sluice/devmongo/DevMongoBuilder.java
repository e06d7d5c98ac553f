package dev.sluice.devmongo;

import dev.sluice.devmongo.oplog.OplogLimit;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a {@link DevMongo} is started with. Defaults: a free port, version 7.0, a replica set, 512 MiB of oplog. */
public final class DevMongoBuilder {
    private int port;
    private ServerVersion version = ServerVersion.DEFAULT;
    private boolean replicaSet = true;
    private OplogLimit oplogLimit = OplogLimit.DEFAULT;
    private Duration noopEvery = Duration.ofSeconds(10);
    private Duration transactionLifetime = Duration.ofSeconds(60);
    private InstantSource clock = InstantSource.system();
    private @Nullable Path data;
    private Supplier<UUID> uuids = UUID::randomUUID;

    DevMongoBuilder() {}

    /** The loopback port; 0 takes a free one. */
    public DevMongoBuilder port(int value) {
        port = value;
        return this;
    }

    /** Which MongoDB to be: {@code 4.4} as recorded, newer ones by documentation. */
    public DevMongoBuilder version(String value) {
        version = ServerVersion.parse(value);
        return this;
    }

    /** A server without a replica set, which has no change streams and no transactions. */
    public DevMongoBuilder standalone() {
        replicaSet = false;
        return this;
    }

    /** How much history is kept. */
    public DevMongoBuilder oplog(OplogLimit value) {
        oplogLimit = value;
        return this;
    }

    /** How often a quiet server writes a no-op, which moves the tokens of quiet streams. */
    public DevMongoBuilder noopEvery(Duration value) {
        noopEvery = value;
        return this;
    }

    /** After which a transaction that nobody ended is aborted: {@code transactionLifetimeLimitSeconds}. */
    public DevMongoBuilder transactionLifetime(Duration value) {
        if (!value.isPositive()) {
            throw new IllegalArgumentException("Give a transaction some time to live, not " + value + ".");
        }
        transactionLifetime = value;
        return this;
    }

    /** Where cluster times come from. */
    public DevMongoBuilder clock(InstantSource value) {
        clock = value;
        return this;
    }

    /** The directory that keeps documents and oplog for the next start; by default they are gone when the server is closed. */
    public DevMongoBuilder data(Path directory) {
        data = directory;
        return this;
    }

    /** The ids of new collections, for tests in which their order matters. */
    DevMongoBuilder uuids(Supplier<UUID> value) {
        uuids = value;
        return this;
    }

    /** Starts; the caller closes it. */
    public DevMongo start() {
        return DevMongo.start(this);
    }

    int port() {
        return port;
    }

    ServerVersion version() {
        return version;
    }

    boolean replicaSet() {
        return replicaSet;
    }

    OplogLimit oplogLimit() {
        return oplogLimit;
    }

    Duration noopEvery() {
        return noopEvery;
    }

    Duration transactionLifetime() {
        return transactionLifetime;
    }

    InstantSource clock() {
        return clock;
    }

    @Nullable
    Path data() {
        return data;
    }

    Supplier<UUID> uuids() {
        return uuids;
    }
}
