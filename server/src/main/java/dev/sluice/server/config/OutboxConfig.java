package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Durations;
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
                fallback = "standard",
                meaning = "Heartbeat and node timeout: `standard` is 10s and 30s, `relaxed` 30s and 2m.")
        Profile profile,

        @Setting(meaning = "This node.") Node node,
        @Setting(meaning = "Partitions.") Total total,
        @Setting(meaning = "Schedules.") Task task) {

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
        var beat = beat(profile, task);
        var timeout = node.timeout().orElseGet(() -> profile.timeoutFor(beat));
        new Rules()
                .require(
                        beat.compareTo(timeout) < 0,
                        Durations.format(timeout) + " must be longer than the heartbeat's fixed_rate ("
                                + Durations.format(beat) + "), or a live node counts as dead",
                        "node.timeout",
                        "task.scheduler.heartbeat.fixedRate",
                        "profile")
                .enforce();
    }

    /** How often this node says that it lives. */
    public Duration heartbeat() {
        return beat(profile, task);
    }

    /** Without a heartbeat for this long a node counts as dead and its partitions move. */
    public Duration nodeTimeout() {
        return node.timeout().orElseGet(() -> profile.timeoutFor(heartbeat()));
    }

    /** Whether nobody set the timeout and the profile's would be too short for this heartbeat. */
    boolean timeoutFollowsHeartbeat() {
        return node.timeout().isEmpty() && nodeTimeout().compareTo(profile.nodeTimeout) > 0;
    }

    private static Duration beat(Profile profile, Task task) {
        return task.scheduler().heartbeat().fixedRate().orElse(profile.heartbeat);
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

            @Setting(fallback = "10000", shown = "`10s`", alsoMillis = true, meaning = "Pause before the first look.")
            Duration initialDelay) {

        public Publish {
            new Rules().positive(fixedRate, "fixedRate").enforce();
        }
    }

    public record Heartbeat(
            @Setting(
                    alsoMillis = true,
                    shown = "by `profile`: 10s or 30s",
                    meaning = "How often this node says that it lives.")
            Optional<Duration> fixedRate,

            @Setting(
                    fallback = "0s",
                    alsoMillis = true,
                    meaning = "Shortest time a heartbeat's lock is kept; beats extend it, so 0 is right.")
            Duration lockAtLeastFor) {

        public Heartbeat {
            new Rules()
                    .require(fixedRate.isEmpty() || fixedRate.get().isPositive(), "must be longer than 0s", "fixedRate")
                    .enforce();
        }
    }
}
