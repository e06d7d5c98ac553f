package dev.sluice.server.config;

import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Members, claims and assignment. */
public record ClusterConfig(
        @Setting(
                fallback = "memory",
                meaning =
                        "Where members and claims are kept; `memory` is one process. No role uses another one so far, so"
                                + " it is refused, but for `etcd` where `puller.checkpoint` is kept at its endpoints.")
        Store store,

        @Setting(meaning = "The store's servers, as in `http://127.0.0.1:2379`; one URL for `jdbc`, none for `memory`.")
        List<ConnectionString> endpoints,

        @Setting(
                meaning =
                        "TLS with etcd, the store's and that of checkpoint mirrors, where its endpoints are `https://`.")
        Tls tls,

        @Setting(fallback = "/sluice/", meaning = "Put before every key in the store.")
        String prefix,

        @Setting(
                fallback = "${HOSTNAME:}",
                shown = "`HOSTNAME`, else random",
                ignoresExpressions = true,
                meaning = "This member's name, unique in the cluster.")
        Optional<String> nodeId,

        @Setting(fallback = "10s", meaning = "A member that is silent for so long is dead.")
        Duration leaseTtl,

        @Setting(fallback = "sticky", meaning = "How partitions are spread over members.")
        Assignment assignment,

        @Setting(
                fallback = "1",
                meaning =
                        "Copies NATS keeps of what members agree on; 3 where it has three servers. Refused with its store.")
        int replicas,

        @Setting(
                meaning =
                        "Sign member records: the first signs, any of them is accepted; members without one of them get"
                                + " no partitions.")
        List<Secret> secrets) {

    public enum Store {
        MEMORY,
        ETCD,
        NATS,
        JDBC
    }

    public enum Assignment {
        STICKY,
        MODULO,
        CONSISTENT_HASH
    }

    /** Certificates for a store that is not asked for one of this node's own: etcd has its own CA in most places. */
    public record Tls(
            @Setting(meaning = "The CA that vouches for the servers, PEM; without it, what the machine trusts.")
            Optional<Path> ca,

            @Setting(meaning = "The certificate this node shows to servers that ask for one, PEM.")
            Optional<Path> certificate,

            @Setting(meaning = "Its private key, PEM.") Optional<Path> key) {

        public Tls {
            new Rules()
                    .require(
                            key.isPresent() || certificate.isEmpty(),
                            "needs cluster.tls.key beside it",
                            "certificate",
                            "key")
                    .require(
                            certificate.isPresent() || key.isEmpty(),
                            "needs cluster.tls.certificate beside it",
                            "key",
                            "certificate")
                    .enforce();
        }

        public boolean isSet() {
            return ca.isPresent() || certificate.isPresent();
        }
    }

    public ClusterConfig {
        new Rules()
                .require(
                        store == Store.MEMORY || !endpoints.isEmpty(),
                        "must name at least one server of the store",
                        "endpoints",
                        "store")
                .require(
                        store != Store.JDBC || endpoints.size() <= 1,
                        "must be one URL for store: jdbc; name several hosts in it, as in"
                                + " jdbc:postgresql://a,b/sluice?targetServerType=primary",
                        "endpoints",
                        "store")
                .require(
                        store != Store.MEMORY || endpoints.isEmpty(),
                        "is of no use with store: memory; set the store, or remove it",
                        "endpoints",
                        "store")
                .require(
                        prefix.matches("/([A-Za-z0-9_-][A-Za-z0-9_.-]*/)*"),
                        "must start and end with /, with letters, digits, '_', '-' and '.' between, as in /sluice/",
                        "prefix")
                .between(1, 5, replicas, "replicas")
                .require(
                        replicas == 1 || store == Store.NATS,
                        "is for store: nats alone; the other stores are set up for copies themselves",
                        "replicas",
                        "store")
                .require(
                        secrets.stream().allMatch(secret -> secret.reveal().length() >= MemberSecret.MIN_BYTES),
                        "must have at least " + MemberSecret.MIN_BYTES + " characters each",
                        "secrets")
                .nodeName(nodeId, "nodeId")
                .require(
                        leaseTtl.compareTo(Duration.ofSeconds(1)) >= 0,
                        "must be at least 1s, or ordinary pauses look like death",
                        "leaseTtl")
                .enforce();
    }
}
