package dev.sluice.server.config.yaml;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects everything that is wrong with one file, and knows on which line each key stands. */
public final class Problems {

    private final Map<String, Integer> lines = new HashMap<>();
    private final Set<Problem> found = new LinkedHashSet<>();

    void locate(String key, int line) {
        lines.putIfAbsent(key, line);
    }

    /** Reports at the line of the key, or of the nearest section around it when the key itself is not in the file. */
    public void add(String key, String message) {
        found.add(new Problem(lineOf(key), key, message));
    }

    void addAt(int line, String key, String message) {
        found.add(new Problem(line, key, message));
    }

    /** An empty collection that knows the same lines. */
    public Problems sameFile() {
        var other = new Problems();
        other.lines.putAll(lines);
        return other;
    }

    /** Whether this key, or anything below it, is already reported: then nothing can be concluded from its value. */
    public boolean touch(String key) {
        return found.stream().anyMatch(problem -> isWithin(problem.key(), key));
    }

    public boolean isEmpty() {
        return found.isEmpty();
    }

    public List<Problem> sorted() {
        return found.stream().sorted(Problem.BY_LINE).toList();
    }

    int lineOf(String key) {
        for (var at = key; !at.isEmpty(); at = parent(at)) {
            var line = lines.get(at);
            if (line != null) {
                return line;
            }
        }
        return 0;
    }

    private static boolean isWithin(String key, String section) {
        return key.startsWith(section)
                && (key.length() == section.length() || ".[".indexOf(key.charAt(section.length())) >= 0);
    }

    private static String parent(String key) {
        return key.substring(0, Math.max(0, Math.max(key.lastIndexOf('.'), key.lastIndexOf('['))));
    }
}
