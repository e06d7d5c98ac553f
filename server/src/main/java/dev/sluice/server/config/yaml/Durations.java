package dev.sluice.server.config.yaml;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Pattern;

/** How durations are written: {@code 50ms}, {@code 5s}, {@code 3m}, {@code 1h}, {@code 7d}. */
public final class Durations {

    private static final Pattern FORM = Pattern.compile("(\\d{1,18})(ms|s|m|h|d)");
    private static final Pattern BARE = Pattern.compile("\\d{1,18}");
    private static final Duration LIFETIME = Duration.ofDays(36500);

    private Durations() {}

    /** @throws IllegalArgumentException saying how a duration is written */
    public static Duration parse(String text) {
        var form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    BARE.matcher(text).matches()
                            ? "has no unit; write " + text + "ms, " + text + "s or " + text + "m, whichever is meant"
                            : "is not a duration; write a whole number and a unit, as in 50ms, 5s, 3m, 1h or 7d");
        }
        var unit = switch (form.group(2)) {
            case "ms" -> ChronoUnit.MILLIS;
            case "s" -> ChronoUnit.SECONDS;
            case "m" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            default -> ChronoUnit.DAYS;
        };
        var amount = Long.parseLong(form.group(1));
        if (amount > LIFETIME.dividedBy(unit.getDuration())) {
            throw new IllegalArgumentException("is too long; the most is 36500d");
        }
        return Duration.of(amount, unit);
    }

    /** Also takes bare milliseconds and ISO-8601, which the outbox's Spring-style properties use. */
    public static Duration parseAlsoMillis(String text) {
        if (BARE.matcher(text).matches()) {
            return parse(text + "ms");
        }
        if (!text.toUpperCase(Locale.ROOT).startsWith("P")) {
            return parse(text);
        }
        try {
            var duration = Duration.parse(text);
            if (duration.isNegative() || duration.compareTo(LIFETIME) > 0) {
                throw new IllegalArgumentException("must be between PT0S and PT876000H");
            }
            return duration;
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("is not an ISO-8601 duration; write for example PT30S or 30s", e);
        }
    }

    /** The shortest form that {@link #parse} reads back. */
    public static String format(Duration duration) {
        var millis = duration.toMillis();
        if (millis == 0) {
            return "0s";
        }
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        var seconds = millis / 1000;
        if (seconds % 86400 == 0) {
            return seconds / 86400 + "d";
        }
        if (seconds % 3600 == 0) {
            return seconds / 3600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }
}
