package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** How to reach the brokers, and what else they ask for. */
public record OutboxKafka(
        @Setting(fallback = "127.0.0.1:9092", meaning = "Brokers to begin with, with commas between.")
        String bootstrapServers,

        @Setting(
                meaning =
                        "Kafka's own producer settings, such as `compression.type`, `security.protocol` or `sasl.jaas.config`.")
        Map<String, Secret> properties) {

    /** Order and durability hang on these. */
    private static final Set<String> OURS = Set.of(
            "bootstrap.servers",
            "acks",
            "enable.idempotence",
            "retries",
            "delivery.timeout.ms",
            "max.in.flight.requests.per.connection",
            "transactional.id",
            "key.serializer",
            "value.serializer");

    public OutboxKafka {
        var servers = "[^\\s,:]+:\\d{1,5}|\\[[0-9a-fA-F:.]+\\]:\\d{1,5}";
        var ours = OURS.stream().filter(properties::containsKey).sorted().collect(Collectors.joining(", "));
        new Rules()
                .require(
                        bootstrapServers.matches("(" + servers + ")(\\s*,\\s*(" + servers + "))*"),
                        "must be brokers as host:port with commas between, as in 127.0.0.1:9092",
                        "bootstrapServers")
                .require(
                        ours.isEmpty(),
                        "must be without " + ours + ": that is set by the relay, or by bootstrap_servers",
                        "properties")
                .enforce();
    }
}
