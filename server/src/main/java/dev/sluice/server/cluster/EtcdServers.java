package dev.sluice.server.cluster;

import dev.sluice.etcd.EtcdAccess;
import dev.sluice.server.config.ClusterConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import java.util.List;

/** How this node comes to etcd: user and password stand in the addresses, certificates in {@code cluster.tls}. */
final class EtcdServers {
    private EtcdServers() {}

    static EtcdAccess access(List<ConnectionString> endpoints, ClusterConfig.Tls tls) {
        ServerAddresses servers = ServerAddresses.of(
                endpoints.stream().map(ConnectionString::reveal).toList());
        return new EtcdAccess(
                servers.addresses(),
                servers.user(),
                servers.password(),
                tls.ca().orElse(null),
                tls.certificate().orElse(null),
                tls.key().orElse(null));
    }
}
