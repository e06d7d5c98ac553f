package dev.sluice.outbox.spring;

import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The application's {@code outbox.*}. Durations may be milliseconds ({@code 10000}), {@code 10s} or {@code PT10S}.
 *
 * @param enabled Whether there is an outbox at all.
 * @param name Relays of one name share the work; locks and Kafka's transactional ids are named after it.
 * @param partitions The same as outbox.total.partitions, and wins over it: so OUTBOX_PARTITIONS in the environment does.
 * @param strictKeyOrder Whether writers of one key wait for each other until they commit.
 * @param delivery at-least-once: after a crash some come again; exactly-once: not for those who read Kafka with read_committed.
 * @param cloudEvents Whether every message gets CloudEvents headers (ce_id, ce_source, ce_type and so on).
 * @param maxAttempts A message that alone cannot be sent is given up after so many attempts; its key waits meanwhile.
 * @param deadLetterTopic A copy of every message that is given up goes here too; outbox_dead has it in any case.
 * @param keep How long messages that were sent stay in outbox_sent; they are deleted at once when it is not set.
 * @param assignment How partitions are spread over nodes: sticky moves few, modulo is the partition modulo the number of nodes.
 * @param weight This node's share of the partitions, against the other nodes' weights.
 * @param globalLock Name of the ShedLock lock that nodes of an older outbox take: while there is one claim its owner holds it too.
 * @param profile Heartbeat and node timeout: standard is 10s and 30s, relaxed 30s and 2m.
 */
@ConfigurationProperties("outbox")
public record OutboxProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("outbox") String name,
        @Nullable Integer partitions,
        @DefaultValue("false") boolean strictKeyOrder,
        @DefaultValue("at-least-once") Delivery delivery,
        @DefaultValue("false") boolean cloudEvents,
        @DefaultValue("10") int maxAttempts,
        @Nullable String deadLetterTopic,
        @Nullable Duration keep,
        @DefaultValue("sticky") Assignment assignment,
        @DefaultValue("1") int weight,
        @Nullable String globalLock,
        @DefaultValue("standard") Profile profile,
        @DefaultValue Relay relay,
        @DefaultValue Schema schema,
        @DefaultValue Kafka kafka,
        @DefaultValue Batch batch,
        @DefaultValue Node node,
        @DefaultValue Total total,
        @DefaultValue Task task) {

    private static final int MOST_PARTITIONS = 1_024;

    public OutboxProperties {
        int counted = partitions == null ? total.partitions() : partitions;
        if (counted < 1 || counted > MOST_PARTITIONS) {
            throw new InvalidInputException("outbox.total.partitions is 1 to " + MOST_PARTITIONS + ", not " + counted);
        }
    }

    /** How often a message may arrive. */
    public enum Delivery {
        AT_LEAST_ONCE,
        EXACTLY_ONCE
    }

    /** Who gets which partition. */
    public enum Assignment {
        STICKY,
        MODULO
    }

    /** How quickly a dead node is noticed, against how much the database is asked. */
    public enum Profile {
        STANDARD(Duration.ofSeconds(10), Duration.ofSeconds(30)),
        RELAXED(Duration.ofSeconds(30), Duration.ofMinutes(2));

        private final Duration heartbeat;
        private final Duration nodeTimeout;

        Profile(Duration heartbeat, Duration nodeTimeout) {
            this.heartbeat = heartbeat;
            this.nodeTimeout = nodeTimeout;
        }
    }

    /** @param enabled Whether this application also sends; off when others do (sluice run --role outbox). */
    public record Relay(@DefaultValue("true") boolean enabled) {}

    /** @param initialize Whether missing tables are made at the start; leave it off where Flyway or people make them. */
    public record Schema(@DefaultValue("false") boolean initialize) {}

    /**
     * @param bootstrapServers Brokers to begin with, with commas between; spring.kafka.bootstrap-servers when not set.
     * @param properties Kafka's own producer settings, such as compression.type, over those of spring.kafka.properties.
     */
    public record Kafka(
            @Nullable String bootstrapServers, @DefaultValue Map<String, String> properties) {}

    /**
     * @param minRows At least so many rows of a partition are under way at once, when as many wait.
     * @param maxRows At most so many.
     */
    public record Batch(
            @DefaultValue("500") int minRows,
            @DefaultValue("2000") int maxRows) {}

    /**
     * @param id This node's name, its own among all nodes; HOSTNAME when not set, else a random one.
     * @param timeout Without a heartbeat for this long a node counts as dead; by the profile when not set.
     */
    public record Node(@Nullable String id, @Nullable Duration timeout) {}

    /** @param partitions Partitions, 1 to 1024; the same number for all writers and relays. */
    public record Total(@DefaultValue("6") int partitions) {}

    public record Task(@DefaultValue Scheduler scheduler) {}

    public record Scheduler(
            @DefaultValue Publish publish, @DefaultValue Heartbeat heartbeat) {}

    /**
     * @param fixedRate Longest pause between two looks at the table when no signal arrives.
     * @param initialDelay At the very first start of an outbox: how long other nodes may come before partitions are given out.
     */
    public record Publish(
            @DefaultValue("10000") Duration fixedRate,
            @DefaultValue("10000") Duration initialDelay) {}

    /**
     * @param fixedRate How often this node says that it lives; by the profile when not set, and at most a quarter of the node
     *     timeout.
     * @param lockAtLeastFor Shortest time a heartbeat's lock is kept; beats extend it, so nothing but 0 is followed.
     */
    public record Heartbeat(
            @Nullable Duration fixedRate, @DefaultValue("0") Duration lockAtLeastFor) {}

    int count() {
        return partitions == null ? total.partitions() : partitions;
    }

    /** How often this node says that it lives. */
    Duration heartbeat() {
        Duration beat = task.scheduler().heartbeat().fixedRate();
        return beat == null ? profile.heartbeat : beat;
    }

    /** The one that is set; else the profile's, or four beats where beats are slower than the profile's. */
    Duration nodeTimeout() {
        if (node.timeout() != null) {
            return node.timeout();
        }
        Duration beat = task.scheduler().heartbeat().fixedRate();
        if (beat == null || beat.compareTo(profile.heartbeat) <= 0) {
            return profile.nodeTimeout;
        }
        Duration fourBeats = beat.multipliedBy(4);
        return fourBeats.compareTo(profile.nodeTimeout) > 0 ? fourBeats : profile.nodeTimeout;
    }
}
