package dev.sluice.server.config;

import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Durations;
import dev.sluice.server.config.yaml.Problem;
import dev.sluice.server.config.yaml.Problems;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Warnings about settings that are allowed and likely to do harm. */
public final class Warnings {

    private static final Pattern READ_PREFERENCE =
            Pattern.compile("[?&]readPreference=(?!primary(&|$))", Pattern.CASE_INSENSITIVE);

    private Warnings() {}

    static List<Problem> of(SluiceConfig config, Problems problems) {
        var timeout = config.outbox().nodeTimeout();
        if (config.outbox().timeoutFollowsHeartbeat()) {
            problems.warn(
                    "outbox.task.scheduler.heartbeat.fixed_rate",
                    "makes a node count as dead only after " + Durations.format(timeout)
                            + ", four beats; remove it, or say with outbox.node.timeout what you want");
        }
        if (config.lockAtMostFor().compareTo(timeout) > 0) {
            problems.warn(
                    "shedlock.defaults.lock_at_most_for",
                    "is longer than the node timeout (" + Durations.format(timeout)
                            + "): a dead node's partitions wait that long for a new owner; remove it to get the timeout");
        }
        warnOfThePuller(config, problems);
        if (!config.routing().equals(SluiceConfig.defaults().routing())) {
            warnOfDeletes(config, problems);
        }
        config.worker()
                .handler()
                .hostThatGetsTheTokenInTheClear()
                .ifPresent(host -> problems.warn(
                        "worker.handler.token",
                        "goes unencrypted to " + host + ", because worker.handler.url begins with http://: anyone on"
                                + " the way can read it and forward messages in its name; write https://, or forward"
                                + " to a receiver or proxy on this machine"));
        if (config.security().insecure()) {
            problems.warn("security.insecure", "lets anyone who reaches these addresses read every change");
        }
        return problems.warnings();
    }

    /** Of a Streamer alone: without the document's last state no filter can be asked of a delete. */
    private static void warnOfDeletes(SluiceConfig config, Problems problems) {
        var outboxes = config.storage().backends().stream()
                .filter(backend -> backend.type() == StorageConfig.Type.OUTBOX)
                .map(StorageConfig.Backend::name)
                .collect(Collectors.toSet());
        var backends = config.puller().backends();
        for (var i = 0; i < backends.size(); i++) {
            if (backends.get(i).images() == WatchedBackend.Images.NONE
                    && !outboxes.contains(backends.get(i).name())) {
                problems.warn(
                        "puller.backends[" + i + "].images",
                        "is none, so nobody knows what a deleted document was: a delete is told to every gateway that"
                                + " has filters on its collection; set when_available, and changeStreamPreAndPostImages"
                                + " on the collections");
            }
        }
    }

    /** Warnings for a node that runs the Streamer, whatever its settings. */
    public static List<Problem> ofStreamer(SluiceConfig config) {
        var problems = new Problems();
        warnOfDeletes(config, problems);
        return problems.warnings();
    }

    private static void warnOfThePuller(SluiceConfig config, Problems problems) {
        warnOfReadPreferences(config, problems);
        var puller = config.puller().checkpoint();
        warnOfAnEtcdNobodyNamed("puller.checkpoint", puller.backend(), puller.endpoints(), config, problems);
        var streamer = config.reliability().checkpoint();
        warnOfAnEtcdNobodyNamed("reliability.checkpoint", streamer.backend(), streamer.endpoints(), config, problems);
    }

    private static void warnOfReadPreferences(SluiceConfig config, Problems problems) {
        var backends = config.storage().backends();
        for (var i = 0; i < backends.size(); i++) {
            var backend = backends.get(i);
            if (backend.type() == StorageConfig.Type.MONGODB
                    && READ_PREFERENCE.matcher(backend.connection().reveal()).find()) {
                problems.warn(
                        "storage.backends[" + i + "].connection",
                        "sets readPreference, which has no effect: changes are always read from the primary");
            }
        }
    }

    private static void warnOfAnEtcdNobodyNamed(
            String section,
            CheckpointBackend backend,
            List<ConnectionString> endpoints,
            SluiceConfig config,
            Problems problems) {
        if (backend == CheckpointBackend.ETCD
                && endpoints.isEmpty()
                && config.cluster().store() != ClusterConfig.Store.ETCD) {
            problems.warn(
                    section + ".backend",
                    "looks for etcd at 127.0.0.1:2379; say with " + section + ".endpoints where it is");
        }
    }
}
