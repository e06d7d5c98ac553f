package dev.sluice.server.config.yaml;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** A number of bytes, written {@code 512KiB}, {@code 64MiB}, {@code 10GiB}, {@code 1TiB} or plainly in bytes. */
public record DataSize(long bytes) {

    private static final Pattern FORM = Pattern.compile("(\\d{1,19})(KiB|MiB|GiB|TiB)?");
    private static final Map<String, Integer> SHIFTS = Map.of("KiB", 10, "MiB", 20, "GiB", 30, "TiB", 40);
    private static final Pattern OTHER_UNIT =
            Pattern.compile("(\\d{1,19})\\s*([kmgt])(i?b)?", Pattern.CASE_INSENSITIVE);

    public DataSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size cannot be negative");
        }
    }

    /** @throws IllegalArgumentException saying how a size is written */
    public static DataSize parse(String text) {
        var form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("is not a size; write " + likely(text));
        }
        var unit = form.group(2);
        try {
            var factor = unit == null ? 1L : 1L << SHIFTS.getOrDefault(unit, 0);
            return new DataSize(Math.multiplyExact(Long.parseLong(form.group(1)), factor));
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("is too large for a size; the most is 8388607TiB", e);
        }
    }

    private static String likely(String text) {
        var other = OTHER_UNIT.matcher(text);
        if (other.matches()) {
            return other.group(1) + other.group(2).toUpperCase(Locale.ROOT) + "iB";
        }
        return "a whole number and a unit, as in 512KiB, 64MiB, 10GiB or 1TiB, or plain bytes";
    }

    /** In the largest unit that loses nothing. */
    @Override
    public String toString() {
        for (var unit : new String[] {"TiB", "GiB", "MiB", "KiB"}) {
            var shift = SHIFTS.getOrDefault(unit, 0);
            if (bytes > 0 && bytes % (1L << shift) == 0) {
                return (bytes >> shift) + unit;
            }
        }
        return Long.toString(bytes);
    }
}
