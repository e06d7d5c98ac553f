package dev.sluice.server.outbox;

import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.coordinate.assign.ModuloAssigner;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.assign.StickyAssigner;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.kafka.RecordFormat;
import dev.sluice.outbox.nats.JetStreamSinks;
import dev.sluice.outbox.relay.DeadLetterTopic;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.server.config.OutboxConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;

/** What the relay is given of the configuration. */
final class RelayParts {
    private RelayParts() {}

    static RelaySettings settings(OutboxConfig config) {
        var usual = RelaySettings.DEFAULT;
        var retries = usual.retries();
        var settings = usual.withNodeTimeout(config.nodeTimeout())
                .withAssigner(assigner(config.assignment()), config.weight())
                .withStabiliser(stabiliser(config))
                .withBatches(new RelaySettings.BatchLimits(
                        config.batch().minRows(), config.batch().maxRows()))
                .withRetries(new RelaySettings.RetryLimits(config.maxAttempts(), retries.first(), retries.longest()))
                .withLongestPause(config.task().scheduler().publish().fixedRate());
        return config.keep().age().map(settings::keepingFor).orElse(settings);
    }

    private static Assigner assigner(OutboxConfig.Assignment assignment) {
        return switch (assignment) {
            case STICKY -> new StickyAssigner();
            case MODULO -> new ModuloAssigner();
        };
    }

    private static StabiliserSettings stabiliser(OutboxConfig config) {
        var usual = switch (config.profile()) {
            case STANDARD -> StabiliserSettings.DEFAULT;
            case RELAXED -> StabiliserSettings.RELAXED;
        };
        return new StabiliserSettings(
                config.task().scheduler().publish().initialDelay(), usual.planned(), usual.minimumInterval());
    }

    static Sink sink(OutboxConfig config) {
        Sink sink = switch (config.sink()) {
            case KAFKA -> kafka(config);
            case NATS -> nats(config);
        };
        return config.deadLetterTopic()
                .<Sink>map(topic -> new DeadLetterTopic(sink, topic))
                .orElse(sink);
    }

    private static Sink nats(OutboxConfig config) {
        var servers = new StringJoiner(",");
        config.nats().servers().forEach(server -> servers.add(server.reveal()));
        return JetStreamSinks.atLeastOnce(servers.toString());
    }

    /** Who CloudEvents are from. */
    private static String source(OutboxConfig config) {
        return "/" + config.name();
    }

    private static Sink kafka(OutboxConfig config) {
        Map<String, Object> properties = new HashMap<>();
        config.kafka().properties().forEach((name, value) -> properties.put(name, value.reveal()));
        properties.put("bootstrap.servers", config.kafka().bootstrapServers());
        var format = config.cloudEvents() ? RecordFormat.cloudEvents(source(config)) : RecordFormat.PLAIN;
        return switch (config.delivery()) {
            case AT_LEAST_ONCE -> KafkaSinks.atLeastOnce(properties, format);
            case EXACTLY_ONCE -> KafkaSinks.exactlyOnce(properties, format);
        };
    }
}
