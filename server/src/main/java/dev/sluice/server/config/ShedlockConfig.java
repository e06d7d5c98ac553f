package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.time.Duration;
import java.util.Optional;

/** Locks of the outbox relay; durations may also be bare milliseconds or ISO-8601. */
public record ShedlockConfig(
        @Setting(meaning = "All locks.") Defaults defaults) {

    public record Defaults(
            @Setting(
                    alsoMillis = true,
                    shown = "the node timeout",
                    meaning =
                            "How long a partition's lock outlives its owner; longer than the node timeout only delays takeover.")
            Optional<Duration> lockAtMostFor,

            @Setting(
                    fallback = "0s",
                    alsoMillis = true,
                    meaning = "Shortest time a lock is kept; anything above 0 throttles the relay.")
            Duration lockAtLeastFor) {

        public Defaults {
            new Rules()
                    .require(
                            lockAtMostFor.isEmpty() || lockAtMostFor.get().isPositive(),
                            "must be longer than 0s",
                            "lockAtMostFor")
                    .enforce();
        }
    }
}
