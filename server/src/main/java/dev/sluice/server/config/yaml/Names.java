package dev.sluice.server.config.yaml;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** How keys are spelled: {@code snake_case} in the documentation; kebab-case and camelCase mean the same key. */
public final class Names {

    private Names() {}

    /** {@code lockAtMostFor} → {@code lock_at_most_for}. */
    public static String snake(String camel) {
        return camel.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
    }

    /** What all spellings of one key have in common. */
    static String canonical(String key) {
        return key.replace("_", "").replace("-", "").toLowerCase(Locale.ROOT);
    }

    /** The known name that was probably meant: begun and not finished, or at most a third of its letters away. */
    public static Optional<String> nearest(String given, Collection<String> known) {
        var wanted = canonical(given.substring(0, Math.min(64, given.length())));
        String best = null;
        var bestDistance = Integer.MAX_VALUE;
        for (var name : known) {
            var candidate = canonical(name);
            var begun = wanted.length() >= 3 && candidate.startsWith(wanted);
            var distance = begun ? 1 : distance(wanted, candidate);
            if (distance < bestDistance
                    && distance <= Math.max(1, (Math.max(wanted.length(), candidate.length()) + 1) / 3)) {
                best = name;
                bestDistance = distance;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. */
    static int distance(String a, String b) {
        var d = new int[a.length() + 1][b.length() + 1];
        for (var i = 0; i <= a.length(); i++) {
            for (var j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                var replace = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replace, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
