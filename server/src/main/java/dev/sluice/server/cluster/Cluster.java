package dev.sluice.server.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.coordinate.assign.ConsistentHashAssigner;
import dev.sluice.coordinate.assign.ModuloAssigner;
import dev.sluice.coordinate.assign.StickyAssigner;
import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.etcd.EtcdCoordinationStore;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.nats.NatsAccess;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.run.Loops;
import dev.sluice.server.config.ClusterConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The cluster as the configuration names it: its store, and how this process takes part in a group of it. */
public final class Cluster implements AutoCloseable {
    /** Two calls may fail and the third still renews the lease in time. */
    private static final int TIMEOUTS_PER_LEASE = 8;

    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(2);
    private static final int CONNECTIONS = 8;

    private final CoordinationStore store;
    private final Runnable alsoClose;

    private Cluster(CoordinationStore store, Runnable alsoClose) {
        this.store = store;
        this.alsoClose = alsoClose;
    }

    /**
     * Opens the store.
     *
     * @param directory where the only member of a cluster without a store keeps what must survive a restart
     * @param loops of this process
     */
    public static Cluster open(ClusterConfig config, Path directory, Loops loops) {
        Duration timeout = timeout(config.leaseTtl());
        List<String> servers =
                config.endpoints().stream().map(ConnectionString::reveal).toList();
        return switch (config.store()) {
            case MEMORY -> new Cluster(InMemoryCoordinationStore.persisted(directory), () -> {});
            case ETCD ->
                new Cluster(
                        new EtcdCoordinationStore(EtcdServers.access(config.endpoints(), config.tls()), "/", timeout),
                        () -> {});
            case NATS -> new Cluster(nats(ServerAddresses.of(servers), config.replicas(), timeout), () -> {});
            case JDBC -> jdbc(servers.getFirst(), timeout, loops);
        };
    }

    private static Duration timeout(Duration lease) {
        Duration timeout = lease.dividedBy(TIMEOUTS_PER_LEASE);
        return timeout.compareTo(LONGEST_TIMEOUT) < 0 ? timeout : LONGEST_TIMEOUT;
    }

    private static CoordinationStore nats(ServerAddresses servers, int replicas, Duration timeout) {
        NatsAccess access = NatsAccess.to(servers.addresses().toArray(String[]::new));
        if (servers.user() != null && servers.password() != null) {
            access = access.as(servers.user(), servers.password());
        }
        return new NatsCoordinationStore(access, NatsCoordinationStore.DEFAULT_BUCKET, replicas, timeout);
    }

    private static Cluster jdbc(String url, Duration timeout, Loops loops) {
        HikariConfig pool = new HikariConfig();
        pool.setPoolName("coordination");
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(CONNECTIONS);
        pool.setMinimumIdle(1);
        pool.setConnectionTimeout(Math.max(250, timeout.toMillis()));
        pool.setInitializationFailTimeout(-1);
        HikariDataSource source = new HikariDataSource(pool);
        try {
            JdbcCoordinationStore.createTables(source);
            CoordinationStore store =
                    new JdbcCoordinationStore(source, timeout, JdbcCoordinationStore.DEFAULT_WATCH_INTERVAL, loops);
            return new Cluster(store, source::close);
        } catch (RuntimeException failed) {
            source.close();
            throw failed;
        }
    }

    public CoordinationStore store() {
        return store;
    }

    /** @param role whose partitions are shared out; groups of different roles know nothing of each other */
    public static GroupSettings group(ClusterConfig config, String role, int partitions) {
        String id = config.nodeId().orElseGet(() -> UUID.randomUUID().toString());
        return GroupSettings.of(config.prefix().substring(1) + role, MemberIds.fixed(id), partitions)
                .withLease(config.leaseTtl())
                .withAssigner(assigner(config.assignment()))
                .withSecrets(secrets(config));
    }

    /** Sign member records: the first signs, any of them is accepted. */
    public static List<MemberSecret> secrets(ClusterConfig config) {
        return config.secrets().stream()
                .map(secret -> MemberSecret.of(secret.reveal()))
                .toList();
    }

    public static Assigner assigner(ClusterConfig.Assignment assignment) {
        return switch (assignment) {
            case STICKY -> new StickyAssigner();
            case MODULO -> new ModuloAssigner();
            case CONSISTENT_HASH -> new ConsistentHashAssigner();
        };
    }

    @Override
    public void close() {
        store.close();
        alsoClose.run();
    }
}
