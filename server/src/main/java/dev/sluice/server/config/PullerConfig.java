package dev.sluice.server.config;

import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.DataSize;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Capture → event log → stream. */
public record PullerConfig(
        @Setting(meaning = "The server consumers subscribe to.")
        Grpc grpc,

        @Setting(meaning = "What is watched.") List<WatchedBackend> backends,

        @Setting(meaning = "How often the position in the source is saved.")
        Checkpoint checkpoint,

        @Setting(meaning = "The event log.") Buffer buffer,
        @Setting(meaning = "Consumers of the stream.") Consumer consumer,
        @Setting(meaning = "Removal of old events.") Cleaner cleaner,
        @Setting(meaning = "Prometheus.") HttpEndpoint.Metrics metrics,
        @Setting(meaning = "Health and the admin API.") HttpEndpoint.Health health,

        @Setting(
                fallback = "30s",
                meaning = "How long a marker ahead of this Puller's log may wait for capture to pass it.")
        Duration maxAheadWait) {

    public PullerConfig {
        new Rules().positive(maxAheadWait, "maxAheadWait").enforce();
    }

    public record Grpc(
            @Setting(fallback = "127.0.0.1:50051", meaning = "Where the gRPC server listens; `:port` means loopback.")
            ListenAddress address,

            @Setting(fallback = "100", meaning = "Streams of consumers at a time; the next one is refused.")
            int maxConnections) {

        public Grpc {
            new Rules().atLeast(1, maxConnections, "maxConnections").enforce();
        }
    }

    /** Where the checkpoint lives besides the log itself, so that a lost disk resumes. */
    public record Checkpoint(
            @Setting(
                    fallback = "local",
                    meaning = "`local` keeps it with the event log; `mongodb` and `etcd` mirror it there too.")
            CheckpointBackend backend,

            @Setting(
                    meaning =
                            "The servers of backend `etcd`; else those of `cluster.endpoints` where `cluster.store` is etcd, else `http://127.0.0.1:2379`.")
            List<ConnectionString> endpoints,

            @Setting(fallback = "1s", meaning = "Saved at least this often while events arrive.")
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

    public record Buffer(
            @Setting(fallback = "/var/lib/puller/events", meaning = "Directory; each backend has its own below it.")
            Path path,

            @Setting(fallback = "10GiB", meaning = "Per backend; beyond it the oldest events leave first.")
            DataSize maxSize,

            @Setting(fallback = "1GiB", meaning = "Capture waits while the disk has less free space than this.")
            DataSize minFree,

            @Setting(fallback = "100", meaning = "Events per synced write at most.")
            int batchSize,

            @Setting(
                    fallback = "5ms",
                    meaning =
                            "Least time between two reads of a MongoDB source without backlog, so that batches grow; 0s = none.")
            Duration batchInterval,

            @Setting(fallback = "1000", meaning = "Events read from the source and not yet written, at most.")
            int queueSize) {

        public Buffer {
            new Rules()
                    .positive(maxSize, "maxSize")
                    .atLeast(1, batchSize, "batchSize")
                    .require(
                            !batchInterval.isNegative() && batchInterval.compareTo(Duration.ofSeconds(1)) <= 0,
                            "must be between 0s and 1s",
                            "batchInterval")
                    .require(
                            queueSize >= batchSize,
                            "must be at least batch_size (" + batchSize + "), is " + queueSize,
                            "queueSize",
                            "batchSize")
                    .enforce();
        }
    }

    public record Consumer(
            @Setting(
                    fallback = "100000",
                    meaning = "Events behind the head from which a consumer counts as catching up.")
            long catchUpThreshold,

            @Setting(
                    fallback = "true",
                    meaning = "Allow consumers to ask for one event per document while catching up.")
            boolean coalesceOnCatchUp,

            @Setting(fallback = "100ms", meaning = "A send slower than this makes batches smaller.")
            Duration slowThreshold,

            @Setting(fallback = "500ms", meaning = "A send slower than this pauses that consumer and warns.")
            Duration criticalThreshold) {

        public Consumer {
            new Rules()
                    .atLeast(1, catchUpThreshold, "catchUpThreshold")
                    .positive(slowThreshold, "slowThreshold")
                    .require(
                            criticalThreshold.compareTo(slowThreshold) > 0,
                            "must be longer than slow_threshold",
                            "criticalThreshold",
                            "slowThreshold")
                    .enforce();
        }
    }

    public record Cleaner(
            @Setting(fallback = "1m", meaning = "How often old events are removed.")
            Duration interval,

            @Setting(fallback = "1h", meaning = "Events stay at least this long, unless `max_size` forces them out.")
            Duration retention) {

        public Cleaner {
            new Rules()
                    .positive(interval, "interval")
                    .positive(retention, "retention")
                    .enforce();
        }
    }
}
