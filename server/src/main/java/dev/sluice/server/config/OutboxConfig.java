package dev.sluice.server.config;

import dev.sluice.coordinate.assign.Candidate;
import dev.sluice.server.config.yaml.Durations;
import dev.sluice.server.config.yaml.Refused;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.time.Duration;
import java.util.Optional;

/**
 * The outbox relay. The keys are those of the Spring properties applications already have, so their durations may
 * also be bare milliseconds or ISO-8601.
 */
public record OutboxConfig(
        @Setting(
                fallback = "outbox",
                meaning = "Its name: relays of one name share the work, and exactly-once uses it.")
        String name,

        @Setting(meaning = "The database that holds the outbox.")
        DatasourceConfig datasource,

        @Setting(
                fallback = "kafka",
                meaning = "Where messages go: Kafka topics, or subjects of a NATS JetStream stream.")
        Sink sink,

        @Setting(meaning = "Kafka.") OutboxKafka kafka,
        @Setting(meaning = "NATS.") OutboxNats nats,

        @Setting(meaning = "Keys of payloads that writers encrypt.")
        OutboxEncryption encryption,

        @Setting(
                fallback = "at_least_once",
                meaning =
                        "`at-least-once`: after a crash some come again; `exactly-once`: not for those who read Kafka with `read_committed`.")
        Delivery delivery,

        @Setting(
                fallback = "false",
                meaning = "Add CloudEvents headers (`ce_id`, `ce_source`, `ce_type`, ...) to every message.")
        boolean cloudEvents,

        @Setting(meaning = "How many rows are under way at once in a partition.")
        Batch batch,

        @Setting(
                fallback = "10",
                meaning =
                        "A message that alone cannot be sent is given up after so many attempts; its key waits meanwhile.")
        int maxAttempts,

        @Setting(meaning = "Messages that are given up are also sent here; they stay in `outbox_dead` in any case.")
        Optional<String> deadLetterTopic,

        @Setting(
                fallback = "off",
                meaning = "How long sent messages are kept in `outbox_sent`, as in `7d`; `off` deletes them at once.")
        OutboxKeep keep,

        @Setting(
                shown = "as `cluster.assignment`",
                meaning = "How partitions are spread over nodes: few moves, or id modulo nodes.")
        Optional<ClusterConfig.Assignment> assignment,

        @Setting(fallback = "1", meaning = "This node's share of the partitions, against the other nodes' weights.")
        int weight,

        @Setting(
                meaning =
                        "Name of the ShedLock lock that nodes of an older outbox take: while the outbox has one claim, its owner holds it too.")
        Optional<String> globalLock,

        @Setting(
                fallback = "standard",
                meaning = "Heartbeat and node timeout: `standard` is 10s and 30s, `relaxed` 30s and 2m.")
        Profile profile,

        @Setting(meaning = "This node.") Node node,
        @Setting(meaning = "Partitions.") Total total,
        @Setting(meaning = "Schedules.") Task task) {

    /** Who receives. */
    public enum Sink {
        KAFKA,
        NATS
    }

    /** How often a message may arrive. */
    public enum Delivery {
        AT_LEAST_ONCE,
        EXACTLY_ONCE
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

        /** The profile's own, unless the beat is slower than the profile's: then time for at least four of them. */
        private Duration timeoutFor(Duration beat) {
            var fourBeats = beat.multipliedBy(4);
            return beat.compareTo(heartbeat) > 0 && fourBeats.compareTo(nodeTimeout) > 0 ? fourBeats : nodeTimeout;
        }
    }

    public OutboxConfig {
        var timeout = timeout(profile, node, task);
        var beat = beat(profile, task, timeout);
        new Rules()
                .require(
                        name.matches("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}"),
                        "must be 1 to 64 letters, digits, _, - or ., not starting with ., because locks and topics are"
                                + " named after it",
                        "name")
                .require(
                        delivery != Delivery.EXACTLY_ONCE || sink == Sink.KAFKA,
                        "exactly-once needs sink: kafka; JetStream drops repeats by message id, within its duplicate"
                                + " window",
                        "delivery",
                        "sink")
                .require(
                        !cloudEvents || sink == Sink.KAFKA,
                        "needs sink: kafka, whose records have CloudEvents headers; remove it, or send to Kafka",
                        "cloudEvents",
                        "sink")
                .between(1, 100, maxAttempts, "maxAttempts")
                .between(1, Candidate.MAX_WEIGHT, weight, "weight")
                .require(
                        deadLetterTopic.isEmpty() || deadLetterTopic.get().matches("[A-Za-z0-9_.-]{1,249}"),
                        "must be a topic: 1 to 249 letters, digits, _, - or .",
                        "deadLetterTopic")
                .require(
                        globalLock.isEmpty() || globalLock.get().matches("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}"),
                        "must be the name of a ShedLock lock: 1 to 64 letters, digits, _, - or ., not starting with .",
                        "globalLock")
                .require(
                        beat.multipliedBy(2).compareTo(timeout) <= 0,
                        Durations.format(timeout) + " must be at least twice the heartbeat's fixed_rate ("
                                + Durations.format(beat) + "), or a live node counts as dead",
                        "node.timeout",
                        "task.scheduler.heartbeat.fixedRate",
                        "profile")
                .enforce();
    }

    /** How often this node says that it lives. */
    public Duration heartbeat() {
        return beat(profile, task, nodeTimeout());
    }

    /** Without a heartbeat for this long a node counts as dead and its partitions move. */
    public Duration nodeTimeout() {
        return timeout(profile, node, task);
    }

    /** Whether nobody set the timeout and the profile's would be too short for this heartbeat. */
    boolean timeoutFollowsHeartbeat() {
        return node.timeout().isEmpty() && nodeTimeout().compareTo(profile.nodeTimeout) > 0;
    }

    private static Duration timeout(Profile profile, Node node, Task task) {
        return node.timeout().orElseGet(() -> profile.timeoutFor(rate(task).orElse(profile.heartbeat)));
    }

    private static Duration beat(Profile profile, Task task, Duration timeout) {
        var third = timeout.dividedBy(3);
        return rate(task).orElse(third.compareTo(profile.heartbeat) < 0 ? third : profile.heartbeat);
    }

    private static Optional<Duration> rate(Task task) {
        return task.scheduler().heartbeat().fixedRate();
    }

    /** The number follows how long a batch takes. */
    public record Batch(
            @Setting(fallback = "500", meaning = "At least so many, when as many wait.")
            int minRows,

            @Setting(fallback = "2000", meaning = "At most so many.")
            int maxRows) {

        public Batch {
            new Rules()
                    .atLeast(1, minRows, "minRows")
                    .require(
                            maxRows >= minRows && maxRows <= 10_000,
                            "must be between min_rows (" + minRows + ") and 10000, is " + maxRows,
                            "maxRows",
                            "minRows")
                    .enforce();
        }
    }

    public record Node(
            @Setting(
                    fallback = "${HOSTNAME:}",
                    env = "OUTBOX_NODE_ID",
                    shown = "`HOSTNAME`, else random",
                    ignoresExpressions = true,
                    meaning = "This node's name. `OUTBOX_NODE_ID` wins over the file.")
            Optional<String> id,

            @Setting(
                    alsoMillis = true,
                    shown = "by `profile`: 30s or 2m; four beats if `fixed_rate` is longer than the profile's",
                    meaning = "Without a heartbeat for this long a node counts as dead.")
            Optional<Duration> timeout) {

        public Node {
            new Rules()
                    .nodeName(id, "id")
                    .require(timeout.isEmpty() || timeout.get().isPositive(), "must be longer than 0s", "timeout")
                    .enforce();
        }
    }

    public record Total(
            @Setting(
                    fallback = "6",
                    env = "OUTBOX_PARTITIONS",
                    meaning = "Partitions, 1 to 1024. `OUTBOX_PARTITIONS` wins over the file.")
            int partitions) {

        public Total {
            new Rules().between(1, 1024, partitions, "partitions").enforce();
        }
    }

    public record Task(@Setting(meaning = "Schedules.") Scheduler scheduler) {}

    public record Scheduler(
            @Setting(meaning = "Publishing.") Publish publish,

            @Setting(meaning = "Saying that this node lives.")
            Heartbeat heartbeat) {}

    public record Publish(
            @Setting(
                    fallback = "10000",
                    shown = "`10s`",
                    alsoMillis = true,
                    meaning = "Longest pause between two looks at the table when no signal arrives.")
            Duration fixedRate,

            @Setting(
                    fallback = "10000",
                    shown = "`10s`",
                    alsoMillis = true,
                    meaning = "At the very first start: how long other nodes may come before partitions are given out.")
            Duration initialDelay) {

        public Publish {
            new Rules()
                    .positive(fixedRate, "fixedRate")
                    .require(
                            initialDelay.compareTo(Duration.ofHours(1)) <= 0,
                            "must be at most 1h, is " + Durations.format(initialDelay),
                            "initialDelay")
                    .enforce();
        }
    }

    @Refused(
            key = "lock_at_least_for",
            reason = "is refused: a heartbeat extends its lock and never gives it back; remove it")
    public record Heartbeat(
            @Setting(
                    alsoMillis = true,
                    shown = "by `profile`: 10s or 30s, and at most a third of the node timeout",
                    meaning = "How often this node says that it lives, at least twice in the node timeout.")
            Optional<Duration> fixedRate) {

        public Heartbeat {
            new Rules()
                    .require(fixedRate.isEmpty() || fixedRate.get().isPositive(), "must be longer than 0s", "fixedRate")
                    .enforce();
        }
    }
}
