package dev.sluice.server.outbox;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.nats.NatsAccess;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.kafka.RecordFormat;
import dev.sluice.outbox.nats.JetStreamSinks;
import dev.sluice.outbox.relay.DeadLetterTopic;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.server.cluster.Cluster;
import dev.sluice.server.config.OutboxConfig;
import dev.sluice.server.config.OutboxNats;
import dev.sluice.server.config.SecurityConfig;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.streamer.OwnTrust;
import java.util.HashMap;
import java.util.Map;

/** What the relay is given of the configuration. */
final class RelayParts {
    private RelayParts() {}

    static RelaySettings settings(SluiceConfig all) {
        var config = all.outbox();
        var assignment = config.assignment().orElse(all.cluster().assignment());
        var usual = RelaySettings.DEFAULT;
        var retries = usual.retries();
        var settings = usual.withNodeTimeout(all.lockAtMostFor())
                .withHeartbeat(config.heartbeat())
                .withAssigner(Cluster.assigner(assignment), config.weight())
                .withStabiliser(stabiliser(config))
                .withBatches(new RelaySettings.BatchLimits(
                        config.batch().minRows(), config.batch().maxRows()))
                .withRetries(new RelaySettings.RetryLimits(config.maxAttempts(), retries.first(), retries.longest()))
                .withLongestPause(config.task().scheduler().publish().fixedRate());
        return config.keep().age().map(settings::keepingFor).orElse(settings);
    }

    private static StabiliserSettings stabiliser(OutboxConfig config) {
        var usual = switch (config.profile()) {
            case STANDARD -> StabiliserSettings.DEFAULT;
            case RELAXED -> StabiliserSettings.RELAXED;
        };
        return new StabiliserSettings(
                config.task().scheduler().publish().initialDelay(), usual.planned(), usual.minimumInterval());
    }

    static Sink sink(OutboxConfig config, SecurityConfig.Tls tls) {
        Sink sink = switch (config.sink()) {
            case KAFKA -> kafka(config);
            case NATS -> nats(config.nats(), tls);
        };
        return config.deadLetterTopic()
                .<Sink>map(topic -> new DeadLetterTopic(sink, topic))
                .orElse(sink);
    }

    private static Sink nats(OutboxNats nats, SecurityConfig.Tls tls) {
        return JetStreamSinks.atLeastOnce(
                access(nats, tls).options().maxReconnects(-1).build());
    }

    static NatsAccess access(OutboxNats nats, SecurityConfig.Tls tls) {
        return new NatsAccess(
                nats.servers().stream().map(ConnectionString::reveal).toList(),
                nats.user().orElse(null),
                nats.password().map(Secret::reveal).orElse(null),
                nats.token().map(Secret::reveal).orElse(null),
                nats.credentials().orElse(null),
                OwnTrust.of(tls).context());
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
