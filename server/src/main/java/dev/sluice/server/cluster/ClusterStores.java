package dev.sluice.server.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.etcd.EtcdAccess;
import dev.sluice.etcd.EtcdCoordinationStore;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.server.config.ClusterConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Opens the store that the configuration names. Members of one cluster name the same one. */
public final class ClusterStores {
    /** Two calls may fail and the third still renews the lease in time. */
    private static final int TIMEOUTS_PER_LEASE = 5;

    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(2);

    private ClusterStores() {}

    /** @param directory where the only member of a cluster without a store keeps what must survive a restart */
    public static CoordinationStore open(ClusterConfig cluster, Path directory) {
        Duration timeout = cluster.leaseTtl().dividedBy(TIMEOUTS_PER_LEASE);
        timeout = timeout.compareTo(LONGEST_TIMEOUT) < 0 ? timeout : LONGEST_TIMEOUT;
        List<String> servers =
                cluster.endpoints().stream().map(ConnectionString::reveal).toList();
        return switch (cluster.store()) {
            case MEMORY -> InMemoryCoordinationStore.persisted(directory);
            case ETCD -> new EtcdCoordinationStore(etcd(servers), "/", timeout);
            case NATS -> throw new UnsupportedOperationException("TODO");
            case JDBC -> jdbc(servers.getFirst(), timeout);
        };
    }

    /** User and password stand in the address, as in {@code https://user:password@host:2379}. */
    private static EtcdAccess etcd(List<String> servers) {
        List<String> endpoints = new ArrayList<>();
        String credentials = null;
        for (String server : servers) {
            String userInfo = URI.create(server).getUserInfo();
            credentials = userInfo == null ? credentials : userInfo;
            endpoints.add(userInfo == null ? server : server.replace(userInfo + '@', ""));
        }
        EtcdAccess access = EtcdAccess.to(endpoints.toArray(String[]::new));
        int colon = credentials == null ? -1 : credentials.indexOf(':');
        return credentials == null || colon < 0
                ? access
                : access.as(credentials.substring(0, colon), credentials.substring(colon + 1));
    }

    private static CoordinationStore jdbc(String url, Duration timeout) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(url);
        pool.setPoolName("coordination");
        pool.setMaximumPoolSize(8);
        pool.setMinimumIdle(1);
        pool.setInitializationFailTimeout(-1);
        HikariDataSource source = new HikariDataSource(pool);
        JdbcCoordinationStore.createTables(source);
        return new JdbcCoordinationStore(source, timeout, JdbcCoordinationStore.DEFAULT_WATCH_INTERVAL);
    }
}
