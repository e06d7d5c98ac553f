package dev.sluice.server.cluster;

import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.etcd.EtcdCheckpoints;
import dev.sluice.mongodb.MongoCheckpoints;
import dev.sluice.server.config.CheckpointBackend;
import dev.sluice.server.config.ClusterConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Where the Puller and the Streamer keep copies of how far they got, besides their own disk. */
public final class CheckpointMirrors {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final ConnectionString LOCAL_ETCD = new ConnectionString("http://127.0.0.1:2379");

    private CheckpointMirrors() {}

    /**
     * Empty for nowhere.
     *
     * @param etcd its servers, if any are named
     * @param mongodb the deployment that holds the mirror, if that is MongoDB
     */
    public static Optional<Supplier<CheckpointStore>> at(
            CheckpointBackend where,
            List<ConnectionString> etcd,
            ClusterConfig cluster,
            Supplier<ConnectionString> mongodb) {
        return switch (where) {
            case LOCAL -> Optional.empty();
            case MONGODB ->
                Optional.of(() -> new MongoCheckpoints(
                        mongodb.get().reveal(),
                        MongoCheckpoints.DEFAULT_DATABASE,
                        MongoCheckpoints.DEFAULT_COLLECTION,
                        TIMEOUT));
            case ETCD ->
                Optional.of(() -> new EtcdCheckpoints(
                        EtcdServers.access(etcdServers(etcd, cluster), cluster.tls()), cluster.prefix(), TIMEOUT));
        };
    }

    static List<ConnectionString> etcdServers(List<ConnectionString> named, ClusterConfig cluster) {
        if (!named.isEmpty()) {
            return named;
        }
        return cluster.store() == ClusterConfig.Store.ETCD ? cluster.endpoints() : List.of(LOCAL_ETCD);
    }
}
