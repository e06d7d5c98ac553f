package dev.sluice.server.cluster;

import dev.sluice.run.Loops;
import dev.sluice.server.config.SluiceConfig;
import java.nio.file.Path;
import java.util.List;

/** What membership of a cluster, and mirrors of positions, are made with. */
public final class ClusterWiring {
    private ClusterWiring() {}

    /** Connects nowhere: the store of a database is left out. */
    public static List<Object> of(SluiceConfig config, Path directory) {
        var group = Cluster.group(config.cluster(), "role", 1);
        var puller = CheckpointMirrors.etcdServers(config.puller().checkpoint().endpoints(), config.cluster());
        var streamer =
                CheckpointMirrors.etcdServers(config.reliability().checkpoint().endpoints(), config.cluster());
        try (var cluster = Cluster.open(config.cluster(), directory, new Loops())) {
            return List.of(group, puller, streamer, cluster.store());
        }
    }
}
