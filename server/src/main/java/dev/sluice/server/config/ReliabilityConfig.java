package dev.sluice.server.config;

import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Refused;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.time.Duration;
import java.util.List;

/** How the Streamer keeps its place, and how it fails. */
@Refused(
        key = "dedup",
        reason =
                "is refused: the Streamer recognises repeats by their position in the log and keeps no cache of event ids; remove the section")
public record ReliabilityConfig(
        @Setting(meaning = "How often a partition's position is saved.")
        Checkpoint checkpoint,

        @Setting(meaning = "A source that went quiet.") GapDetection gapDetection,
        @Setting(meaning = "Sparing a gateway that fails.") CircuitBreaker circuitBreaker,
        @Setting(meaning = "Stopping.") Shutdown shutdown,

        @Setting(fallback = "30s", meaning = "A partition further behind than this is reported as lagging.")
        Duration lagThreshold) {

    public ReliabilityConfig {
        new Rules().positive(lagThreshold, "lagThreshold").enforce();
    }

    public record Checkpoint(
            @Setting(
                    fallback = "local",
                    meaning =
                            "`local` keeps positions in the Streamer's own store; `mongodb` and `etcd` mirror them there too.")
            CheckpointBackend backend,

            @Setting(meaning = "The servers of backend `etcd`; else `http://127.0.0.1:2379`.")
            List<ConnectionString> endpoints,

            @Setting(fallback = "5s", meaning = "Saved at least this often while events are acknowledged.")
            Duration interval,

            @Setting(fallback = "1000", meaning = "Saved at least every so many events.")
            int eventCount) {

        public Checkpoint {
            new Rules()
                    .positive(interval, "interval")
                    .atLeast(1, eventCount, "eventCount")
                    .enforce();
        }
    }

    public record GapDetection(
            @Setting(fallback = "true", meaning = "Watch for a source that sends neither events nor heartbeats.")
            boolean enabled,

            @Setting(fallback = "5m", meaning = "Silence after which the stream is reopened and an alarm raised.")
            Duration maxGap) {

        public GapDetection {
            new Rules().positive(maxGap, "maxGap").enforce();
        }
    }

    public record CircuitBreaker(
            @Setting(fallback = "5", meaning = "Failures in a row after which a gateway is left alone.")
            int threshold,

            @Setting(fallback = "30s", meaning = "How long it is left alone before a probe.")
            Duration timeout) {

        public CircuitBreaker {
            new Rules()
                    .atLeast(1, threshold, "threshold")
                    .positive(timeout, "timeout")
                    .enforce();
        }
    }

    public record Shutdown(
            @Setting(fallback = "10s", meaning = "How long to wait for acknowledgements of what is in flight.")
            Duration flushTimeout,

            @Setting(fallback = "5s", meaning = "How long to wait for the last checkpoint.")
            Duration checkpointTimeout) {

        public Shutdown {
            new Rules()
                    .positive(flushTimeout, "flushTimeout")
                    .positive(checkpointTimeout, "checkpointTimeout")
                    .enforce();
        }
    }
}
