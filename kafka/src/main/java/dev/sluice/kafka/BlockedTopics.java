package dev.sluice.kafka;

import dev.sluice.deliver.EventOutcome;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Topics that nothing can be sent to: the log has a line when a topic becomes one, and when it is one no more. */
final class BlockedTopics {
    private static final Logger LOG = LoggerFactory.getLogger(BlockedTopics.class);

    /** Whether the log has its line yet. */
    private final Map<String, Boolean> told;

    BlockedTopics(int most) {
        told = new Recent<>(most);
    }

    /** Whether it was not blocked until now. */
    synchronized boolean isNew(String topic) {
        return told.putIfAbsent(topic, false) == null;
    }

    /** It stays blocked for now: the first time since {@link #isNew} the log hears of it. */
    synchronized void tell(String topic, EventOutcome outcome) {
        if (!told.replace(topic, false, true)) {
            return;
        }
        switch (outcome) {
            case EventOutcome.RetryLater later ->
                LOG.warn(
                        "Events for Kafka topic {} wait, and what follows them for their subscriptions: {}.",
                        topic,
                        later.reason());
            case EventOutcome.Rejected rejected ->
                LOG.warn("Events for Kafka topic {} become dead letters: {}", topic, rejected.reason());
            default -> throw new IllegalArgumentException("not blocked: " + outcome);
        }
    }

    synchronized void present(String topic) {
        if (Boolean.TRUE.equals(told.remove(topic))) {
            LOG.info("Kafka topic {} is there now: its events go on.", topic);
        }
    }
}
