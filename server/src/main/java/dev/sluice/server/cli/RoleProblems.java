package dev.sluice.server.cli;

import dev.sluice.server.config.ClusterConfig;
import dev.sluice.server.config.Listener;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.yaml.Problem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

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
        if (roles.contains(RoleName.streamer)) {
            problems.addAll(ofStreamer(config));
        }
        return problems;
    }

    /** Every node of a cluster would register its own subscriptions, and deliver to none of the others'. */
    static List<Problem> ofStreamer(SluiceConfig config) {
        var store = config.cluster().store();
        return store == ClusterConfig.Store.MEMORY
                ? List.of()
                : List.of(new Problem(
                        0,
                        "cluster.store",
                        "is " + store.name().toLowerCase(Locale.ROOT)
                                + ", but the role streamer runs on one node only so far: a second one would lose events"
                                + " without a word; set memory, and start one Streamer"));
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
