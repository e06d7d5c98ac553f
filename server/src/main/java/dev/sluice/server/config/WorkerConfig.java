package dev.sluice.server.config;

import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Partitioned JetStream workers. Attempts are counted by us; the server's MaxDeliver stays unlimited. */
public record WorkerConfig(
        @Setting(fallback = "nats://127.0.0.1:4222", meaning = "The NATS servers.")
        List<ConnectionString> servers,

        @Setting(meaning = "The JetStream stream to consume.")
        Optional<String> stream,

        @Setting(fallback = "sluice", meaning = "Durable consumers are named `<prefix>-<worker id>`.")
        String consumerPrefix,

        @Setting(fallback = "per_worker", meaning = "One durable consumer per worker, or one per partition.")
        Consumers consumers,

        @Setting(
                fallback = "30s",
                meaning = "Redelivery when unacknowledged for so long; about three times the handler's p95.")
        Duration ackWait,

        @Setting(fallback = "500", meaning = "Messages in flight per worker at most.")
        int maxAckPending,

        @Setting(fallback = "256", meaning = "Pull requests waiting at the server at most.")
        int maxWaiting,

        @Setting(fallback = "50", meaning = "Messages per pull at the start; it adapts to the handler.")
        int fetchBatch,

        @Setting(fallback = "3", meaning = "Attempts at a message before it becomes a dead letter.")
        int maxAttempts,

        @Setting(fallback = "2s, 5s, 15s", meaning = "Pauses between attempts; the last one repeats.")
        List<Duration> backOff,

        @Setting(fallback = "500", meaning = "Partitions one worker takes at most.")
        int maxSubjects,

        @Setting(fallback = "1s", meaning = "Shortest pause between two changes of a worker's consumer.")
        Duration updateInterval) {

    public enum Consumers {
        PER_WORKER,
        PER_PARTITION
    }

    public WorkerConfig {
        new Rules()
                .require(!servers.isEmpty(), "must name at least one server", "servers")
                .require(
                        consumerPrefix.matches("[A-Za-z0-9_-]{1,32}"),
                        "must be 1 to 32 letters, digits, _ or -, because NATS names consumers after it",
                        "consumerPrefix")
                .positive(ackWait, "ackWait")
                .atLeast(1, maxAckPending, "maxAckPending")
                .atLeast(1, maxWaiting, "maxWaiting")
                .atLeast(1, fetchBatch, "fetchBatch")
                .require(
                        fetchBatch <= maxAckPending,
                        "must not exceed max_ack_pending (" + maxAckPending + ")",
                        "fetchBatch",
                        "maxAckPending")
                .atLeast(1, maxAttempts, "maxAttempts")
                .atLeast(1, maxSubjects, "maxSubjects")
                .positive(updateInterval, "updateInterval")
                .enforce();
    }
}
