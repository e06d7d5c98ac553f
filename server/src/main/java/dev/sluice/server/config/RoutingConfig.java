package dev.sluice.server.config;

import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Match → route → deliver. */
public record RoutingConfig(
        @Setting(fallback = "direct", meaning = "How the gateway of a match is found.")
        Mode mode,

        @Setting(
                fallback = "1",
                meaning =
                        "Units of order and ownership, 1 to 256, at the first start; later `sluice partitions resize N`.")
        int numPartitions,

        @Setting(fallback = "0", meaning = "Gateways a broadcast reaches, with mode `broadcast`; 0 means all.")
        int maxFanout,

        @Setting(
                fallback = "5s",
                meaning =
                        "A subscription whose events its gateway answers with *later* for this long, while it takes most others, is delivered apart from them.")
        Duration stuckAfter,

        @Setting(
                fallback = "256",
                meaning =
                        "Subscriptions delivered apart at once per partition; beyond, the gateway's others wait with them.")
        int maxStuck,

        @Setting(
                meaning =
                        "Directory of what the Streamer keeps: subscriptions, dead letters, positions; else `streamer` beside `puller.buffer.path`.")
        Optional<Path> path,

        @Setting(
                meaning =
                        "Pullers to read, as in `10.0.0.1:50051`; none means the one in this process, else the one at `puller.grpc.address`.")
        List<String> pullers,

        @Setting(meaning = "The server subscriptions are registered at.")
        Grpc grpc,

        @Setting(meaning = "How many subscriptions there may be.")
        Subscriptions subscriptions,

        @Setting(meaning = "Batches to one gateway.") Batch batch,

        @Setting(meaning = "When a lane falls behind instead of filling memory.")
        Backpressure backpressure,

        @Setting(meaning = "One attempt at one gateway.") Delivery delivery,
        @Setting(meaning = "Dead letters.") Dlq dlq) {

    public enum Mode {
        DIRECT,
        CONSISTENT_HASH,
        BROADCAST
    }

    public enum Protocol {
        HTTP,
        GRPC,
        NATS,
        KAFKA
    }

    public RoutingConfig {
        new Rules()
                .between(1, 256, numPartitions, "numPartitions")
                .atLeast(0, maxFanout, "maxFanout")
                .positive(stuckAfter, "stuckAfter")
                .atLeast(0, maxStuck, "maxStuck")
                .require(
                        maxFanout == 0 || mode == Mode.BROADCAST,
                        "is for mode: broadcast alone; remove it, or set the mode",
                        "maxFanout",
                        "mode")
                .require(
                        pullers.stream().allMatch(RoutingConfig::isAddress),
                        "must hold addresses as in 10.0.0.1:50051",
                        "pullers")
                .enforce();
    }

    static boolean isAddress(String text) {
        return text.matches("(\\[[0-9a-fA-F:.]+]|[^:/\\s]+):\\d{1,5}");
    }

    public record Grpc(
            @Setting(
                    fallback = "127.0.0.1:50052",
                    meaning = "Where the Streamer's control server listens; `:port` means loopback.")
            ListenAddress address) {}

    public record Subscriptions(
            @Setting(fallback = "10000", meaning = "Of one gateway at most.")
            int perGateway,

            @Setting(fallback = "50000", meaning = "Of one tenant at most.")
            int perTenant,

            @Setting(fallback = "1000000", meaning = "In all at most.")
            int total) {

        public Subscriptions {
            new Rules()
                    .atLeast(1, perGateway, "perGateway")
                    .atLeast(1, perTenant, "perTenant")
                    .atLeast(1, total, "total")
                    .enforce();
        }
    }

    public record Batch(
            @Setting(fallback = "100", meaning = "Matches per batch at most.")
            int maxSize,

            @Setting(fallback = "50ms", meaning = "A match waits at most this long; an idle lane sends at once.")
            Duration maxWait,

            @Setting(
                    fallback = "10ms",
                    meaning =
                            "How often waiting batches are looked at; one that would be late at the next look goes out.")
            Duration flushInterval) {

        public Batch {
            new Rules()
                    .atLeast(1, maxSize, "maxSize")
                    .positive(flushInterval, "flushInterval")
                    .require(
                            maxWait.compareTo(flushInterval) >= 0,
                            "must be at least flush_interval",
                            "maxWait",
                            "flushInterval")
                    .enforce();
        }
    }

    public record Backpressure(
            @Setting(
                    fallback = "70",
                    meaning =
                            "Percent of the queue from which low-priority matches fall behind to a position in the log.")
            int softWatermark,

            @Setting(
                    fallback = "90",
                    meaning =
                            "Percent of the queue from which normal matches do, too; the rest is for high-priority ones, which do when it is full.")
            int hardWatermark,

            @Setting(
                    fallback = "10000",
                    meaning = "Matches held in memory per gateway at most, of all priorities together.")
            int queueSize) {

        public Backpressure {
            new Rules()
                    .between(1, 100, softWatermark, "softWatermark")
                    .between(1, 100, hardWatermark, "hardWatermark")
                    .require(
                            hardWatermark > softWatermark,
                            "must be above soft_watermark (" + softWatermark + "), is " + hardWatermark,
                            "hardWatermark",
                            "softWatermark")
                    .atLeast(1, queueSize, "queueSize")
                    .enforce();
        }
    }

    public record Delivery(
            @Setting(fallback = "http", meaning = "For gateways that register without saying theirs.")
            Protocol protocol,

            @Setting(fallback = "5s", meaning = "An attempt without an answer after this long counts as failed.")
            Duration timeout,

            @Setting(meaning = "Attempts.") Retry retry,
            @Setting(meaning = "Gateways reached by NATS.") Nats nats,

            @Setting(meaning = "Gateways that are Kafka topics.")
            Kafka kafka) {

        public Delivery {
            new Rules().positive(timeout, "timeout").enforce();
        }
    }

    /** As whom to come to the NATS servers that gateways name; TLS by {@code tls://} there, with what {@code security.tls} holds. */
    public record Nats(
            @Setting(
                    fallback = "request",
                    meaning = "What counts as delivered: the gateway's reply, or that JetStream has stored it.")
            Mode mode,

            @Setting(meaning = "The user, with `password`.") Optional<String> user,

            @Setting(meaning = "Its password; best as `${SLUICE_NATS_PASSWORD}`.")
            Optional<Secret> password,

            @Setting(meaning = "A token instead of a user; best as `${SLUICE_NATS_TOKEN}`.")
            Optional<Secret> token,

            @Setting(meaning = "A credentials file (`.creds`) instead of either.")
            Optional<Path> credentials) {

        public enum Mode {
            REQUEST,
            JETSTREAM
        }

        public Nats {
            NatsLogin.rules(user, password, token, credentials).enforce();
        }
    }

    public record Kafka(
            @Setting(
                    meaning =
                            "How to come to the brokers, given to Kafka's clients as it is: `security.protocol`, `sasl.…`, `ssl.…`; secrets best as `${NAME}`.")
            Map<String, Secret> properties) {

        public Kafka {
            new Rules()
                    .require(
                            properties.keySet().stream().allMatch(Kafka::isSecurity),
                            "may hold security.protocol, sasl.… and ssl.… only; the rest is Sluice's own, to keep order",
                            "properties")
                    .enforce();
        }

        private static boolean isSecurity(String name) {
            return name.equals("security.protocol") || name.startsWith("sasl.") || name.startsWith("ssl.");
        }
    }

    public record Retry(
            @Setting(
                    fallback = "3",
                    meaning = "Attempts at an event that alone keeps failing before it becomes a dead letter.")
            int maxAttempts,

            @Setting(fallback = "100ms", meaning = "Pause after the first failure.")
            Duration initialDelay,

            @Setting(fallback = "5s", meaning = "Longest pause.")
            Duration maxDelay,

            @Setting(fallback = "2.0", meaning = "How the pause grows.")
            double multiplier) {

        public Retry {
            new Rules()
                    .atLeast(1, maxAttempts, "maxAttempts")
                    .positive(initialDelay, "initialDelay")
                    .require(
                            maxDelay.compareTo(initialDelay) >= 0,
                            "must be at least initial_delay",
                            "maxDelay",
                            "initialDelay")
                    .require(multiplier >= 1, "must be at least 1.0, is " + multiplier, "multiplier")
                    .enforce();
        }
    }

    public record Dlq(
            @Setting(fallback = "true", meaning = "Off: a lane waits at an event its gateway will not take.")
            boolean enabled,

            @Setting(fallback = "7d", meaning = "Dead letters older than this are removed, and counted.")
            Duration maxAge) {

        public Dlq {
            new Rules().positive(maxAge, "maxAge").enforce();
        }
    }
}
