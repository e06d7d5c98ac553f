package dev.sluice.server.cli;

import dev.sluice.server.config.CheckpointBackend;
import dev.sluice.server.config.ClusterConfig;
import dev.sluice.server.config.Listener;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.WorkerConfig;
import dev.sluice.server.config.yaml.Problem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Problems of a valid configuration for the roles of one process: the same for {@code check} and {@code run}. */
final class RoleProblems {
    private RoleProblems() {}

    static List<Problem> of(SluiceConfig config, Collection<RoleName> roles) {
        var problems = new ArrayList<Problem>();
        if (roles.contains(RoleName.puller) && config.puller().backends().isEmpty()) {
            problems.add(new Problem(
                    0,
                    "puller.backends",
                    "names no backend, so there is nothing to watch; name one of storage.backends, or name with --role"
                            + " the roles this file is for"));
        }
        if (roles.contains(RoleName.outbox)
                && config.outbox().datasource().url().isEmpty()) {
            problems.add(new Problem(
                    0, "outbox.datasource.url", "must be set for --role outbox: the database that holds the outbox"));
        }
        if (roles.contains(RoleName.worker)) {
            ofWorker(config.worker(), problems);
        }
        if (config.cluster().store() != ClusterConfig.Store.MEMORY) {
            ofStore(config, roles.contains(RoleName.streamer)).ifPresent(problems::add);
        }
        return problems;
    }

    private static void ofWorker(WorkerConfig worker, List<Problem> problems) {
        if (worker.stream().isEmpty()) {
            problems.add(new Problem(0, "worker.stream", "must be set for --role worker: the stream to consume"));
        }
        if (!worker.partitions().isSet()) {
            problems.add(new Problem(
                    0, "worker.partitions", "must be set for --role worker: one of subjects, pattern and hashed"));
        }
        if (worker.handler().type().isEmpty()) {
            problems.add(new Problem(
                    0,
                    "worker.handler.type",
                    "must be set for --role worker: http, grpc or nats, and where messages go"));
        }
    }

    /**
     * No role shares its work by such a store so far. Every node of a cluster would register its own subscriptions, and
     * deliver to none of the others'. The endpoints of etcd have another use, though: a Puller's mirror of checkpoints.
     */
    private static Optional<Problem> ofStore(SluiceConfig config, boolean streamer) {
        if (streamer) {
            return Optional.of(refused(
                    config,
                    "the role streamer runs on one node only so far: a second one would lose events without a word;"
                            + " set memory, and start one Streamer"));
        }
        return isForAMirror(config)
                ? Optional.empty()
                : Optional.of(
                        refused(
                                config,
                                "no role uses it so far: a Streamer runs on one node, an outbox's relays share their outbox's"
                                        + " own database, and workers the NATS of worker.servers; set memory, and remove cluster.endpoints and cluster.replicas"));
    }

    private static Problem refused(SluiceConfig config, String why) {
        var store = config.cluster().store().name().toLowerCase(Locale.ROOT);
        return new Problem(0, "cluster.store", "is " + store + ", but " + why);
    }

    private static boolean isForAMirror(SluiceConfig config) {
        var checkpoint = config.puller().checkpoint();
        return config.cluster().store() == ClusterConfig.Store.ETCD
                && checkpoint.backend() == CheckpointBackend.ETCD
                && checkpoint.endpoints().isEmpty();
    }

    /** The addresses these roles listen on. */
    static List<Listener> listeners(SluiceConfig config, Collection<RoleName> roles) {
        return Listener.of(config).stream()
                .filter(listener -> isNeeded(listener, roles))
                .toList();
    }

    private static boolean isNeeded(Listener listener, Collection<RoleName> roles) {
        return switch (listener.key()) {
            case "puller.grpc.address" -> roles.contains(RoleName.puller);
            case "routing.grpc.address" -> roles.contains(RoleName.streamer);
            case "gateway.address", "gateway.receive" -> roles.contains(RoleName.gateway);
            default -> true;
        };
    }
}
