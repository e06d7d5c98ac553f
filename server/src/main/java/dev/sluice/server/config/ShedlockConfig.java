package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Refused;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.time.Duration;
import java.util.Optional;

/** Locks of the outbox relay; durations may also be bare milliseconds or ISO-8601. */
public record ShedlockConfig(
        @Setting(meaning = "All locks.") Defaults defaults) {

    @Refused(
            key = "lock_at_least_for",
            reason =
                    "is refused: a relay holds its locks across batches, so a shortest time would only delay a handover; remove it")
    public record Defaults(
            @Setting(
                    alsoMillis = true,
                    shown = "the node timeout",
                    meaning = "How long a relay's locks outlive it: others take its partitions after so long.")
            Optional<Duration> lockAtMostFor) {

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
