package dev.sluice.server.cluster;

import dev.sluice.server.config.SluiceConfig;
import java.util.List;

/** What a Streamer's membership, and mirrors of positions in etcd, are made with. */
public final class ClusterWiring {
    private ClusterWiring() {}

    /** No store but that of one process: every role refuses the others. */
    public static List<Object> of(SluiceConfig config) {
        var cluster = config.cluster();
        var group = Cluster.group(cluster, "role", 1);
        var puller = CheckpointMirrors.etcdServers(config.puller().checkpoint().endpoints(), cluster);
        var streamer =
                CheckpointMirrors.etcdServers(config.reliability().checkpoint().endpoints(), cluster);
        return List.of(
                group,
                EtcdServers.access(puller, cluster.tls()),
                EtcdServers.access(streamer, cluster.tls()),
                cluster.prefix());
    }
}
