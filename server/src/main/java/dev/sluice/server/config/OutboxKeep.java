package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Durations;
import java.time.Duration;
import java.util.Optional;

/** What becomes of a message that was sent. */
public record OutboxKeep(Optional<Duration> age) {
    /** @throws IllegalArgumentException saying what may be written */
    public static OutboxKeep parse(String text) {
        if (text.equals("off")) {
            return new OutboxKeep(Optional.empty());
        }
        var age = Durations.parseAlsoMillis(text);
        if (!age.isPositive()) {
            throw new IllegalArgumentException("is no time to keep anything; write off, or an age such as 7d");
        }
        return new OutboxKeep(Optional.of(age));
    }

    @Override
    public String toString() {
        return age.map(Durations::format).orElse("off");
    }
}
