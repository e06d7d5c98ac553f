package dev.sluice.outbox.spring;

import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.coordinate.assign.ModuloAssigner;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.assign.StickyAssigner;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.kafka.RecordFormat;
import dev.sluice.outbox.relay.DeadLetterTopic;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.Sink;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the application's properties mean for a relay. */
final class ConfiguredRelay {
    private static final Logger log = LoggerFactory.getLogger(ConfiguredRelay.class);

    private final OutboxProperties properties;
    private final ShedLockProperties locks;

    ConfiguredRelay(OutboxProperties properties, ShedLockProperties locks) {
        this.properties = properties;
        this.locks = locks;
    }

    RelaySettings settings() {
        RelaySettings settings = RelaySettings.DEFAULT
                .withNodeTimeout(lease())
                .withHeartbeat(heartbeat())
                .withAssigner(assigner(), properties.weight())
                .withStabiliser(stabiliser())
                .withBatches(new RelaySettings.BatchLimits(
                        properties.batch().minRows(), properties.batch().maxRows()))
                .withRetries(new RelaySettings.RetryLimits(
                        properties.maxAttempts(),
                        RelaySettings.RetryLimits.DEFAULT.first(),
                        RelaySettings.RetryLimits.DEFAULT.longest()))
                .withLongestPause(properties.task().scheduler().publish().fixedRate());
        return properties.keep() == null ? settings : settings.keepingFor(properties.keep());
    }

    private Assigner assigner() {
        return switch (properties.assignment()) {
            case STICKY -> new StickyAssigner();
            case MODULO -> new ModuloAssigner();
        };
    }

    private StabiliserSettings stabiliser() {
        StabiliserSettings profile = switch (properties.profile()) {
            case STANDARD -> StabiliserSettings.DEFAULT;
            case RELAXED -> StabiliserSettings.RELAXED;
        };
        return new StabiliserSettings(
                properties.task().scheduler().publish().initialDelay(), profile.planned(), profile.minimumInterval());
    }

    private Duration lease() {
        Duration timeout = properties.nodeTimeout();
        Duration atMost = locks.lockAtMostFor();
        return atMost != null && atMost.compareTo(timeout) < 0 ? atMost : timeout;
    }

    /** The one that is set, or the profile's; both at most a quarter of the lease. */
    private Duration heartbeat() {
        Duration beat = properties.heartbeat();
        Duration quarter = lease().dividedBy(4);
        return beat.compareTo(quarter) < 0 ? beat : quarter;
    }

    /** Says what of an older outbox's settings is not followed, and why. */
    void warn() {
        Duration beat = properties.task().scheduler().heartbeat().lockAtLeastFor();
        if (locks.lockAtLeastFor().isPositive() || beat.isPositive()) {
            log.warn(
                    "shedlock.defaults.lock-at-least-for ({}) and outbox.task.scheduler.heartbeat.lock-at-least-for ({}) are"
                            + " not followed: locks are held across batches and extended, so they would only delay a handover;"
                            + " take them out",
                    locks.lockAtLeastFor(),
                    beat);
        }
        Duration atMost = locks.lockAtMostFor();
        if (atMost != null && atMost.compareTo(properties.nodeTimeout()) > 0) {
            log.warn(
                    "shedlock.defaults.lock-at-most-for ({}) is not followed: locks end with the node timeout ({}), or a dead"
                            + " node's partitions would wait; take it out or raise outbox.node.timeout",
                    atMost,
                    properties.nodeTimeout());
        }
    }

    /** An id that is still an expression was meant for who evaluates them: a random one, as it says. */
    String nodeId(@Nullable String hostName) {
        String id =
                properties.node().id() == null ? hostName : properties.node().id();
        return id == null || id.isBlank() || id.startsWith("#{")
                ? UUID.randomUUID().toString()
                : id;
    }

    Sink kafka(Map<String, Object> producerProperties) {
        RecordFormat format =
                properties.cloudEvents() ? RecordFormat.cloudEvents("/" + properties.name()) : RecordFormat.PLAIN;
        return switch (properties.delivery()) {
            case AT_LEAST_ONCE -> KafkaSinks.atLeastOnce(producerProperties, format);
            case EXACTLY_ONCE -> KafkaSinks.exactlyOnce(producerProperties, format);
        };
    }

    /** Also copies what is given up to the topic for it, where there is one. */
    Sink withDeadLetters(Sink sink) {
        String topic = properties.deadLetterTopic();
        return topic == null ? sink : new DeadLetterTopic(sink, topic);
    }

    /** The lock that nodes of the old kind take; empty when there are none. */
    String globalLock() {
        String lock = properties.globalLock();
        return lock == null ? "" : lock;
    }
}
