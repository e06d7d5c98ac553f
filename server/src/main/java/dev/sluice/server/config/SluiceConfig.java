package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Binder;
import dev.sluice.server.config.yaml.Setting;
import java.nio.file.Path;
import java.time.Duration;

/** The whole file, one record per section. Only the wiring sees it; a component is given its own part. */
public record SluiceConfig(
        @Setting(meaning = "The databases.") StorageConfig storage,
        @Setting(meaning = "Capture, event log and stream.") PullerConfig puller,

        @Setting(meaning = "Matching, routing and delivery.")
        RoutingConfig routing,

        @Setting(meaning = "Checkpoints and failure.") ReliabilityConfig reliability,
        @Setting(meaning = "The outbox relay.") OutboxConfig outbox,
        @Setting(meaning = "Locks of the outbox relay.") ShedlockConfig shedlock,

        @Setting(meaning = "A partitioned JetStream worker.")
        WorkerConfig worker,

        @Setting(meaning = "Who owns what.") ClusterConfig cluster,
        @Setting(meaning = "Gateways.") GatewayConfig gateway,

        @Setting(meaning = "What protects addresses that others can reach.")
        SecurityConfig security,

        @Setting(meaning = "Logging.") LogConfig log) {

    /** What an empty file means, the environment left aside. */
    public static SluiceConfig defaults() {
        return Binder.defaults(SluiceConfig.class);
    }

    /** Where the Streamer keeps what must survive a restart. */
    public Path streamerDirectory() {
        return routing.path().orElseGet(() -> puller.buffer().path().resolveSibling("streamer"));
    }

    /** How long a relay's locks outlive it: after so long others take its partitions. */
    public Duration lockAtMostFor() {
        return shedlock.defaults().lockAtMostFor().orElseGet(outbox::nodeTimeout);
    }
}
