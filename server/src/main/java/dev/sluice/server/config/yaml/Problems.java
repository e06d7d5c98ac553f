package dev.sluice.server.config.yaml;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects everything that is wrong with one file or worth a warning, and knows where the value of each key is from. */
public final class Problems {

    private final Map<String, Integer> lines = new HashMap<>();
    private final Map<String, String> variables = new HashMap<>();
    private final Set<Problem> found = new LinkedHashSet<>();
    private final Set<Problem> warnings = new LinkedHashSet<>();

    void locate(String key, int line) {
        lines.putIfAbsent(key, line);
    }

    /** This key's value is not from the file: what is wrong with it is said of the variable, without a line. */
    void fromVariable(String key, String variable) {
        variables.put(key, variable);
    }

    /** Reports at the line of the key, or of the nearest section around it when the key itself is not in the file. */
    public void add(String key, String message) {
        found.add(at(key, message));
    }

    /** The same for what is allowed and still worth a look. */
    public void warn(String key, String message) {
        warnings.add(at(key, message));
    }

    void addAt(int line, String key, String message) {
        found.add(new Problem(line, key, message));
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

    public List<Problem> warnings() {
        return warnings.stream().sorted(Problem.BY_LINE).toList();
    }

    private Problem at(String key, String message) {
        var variable = variables.get(key);
        return variable == null
                ? new Problem(lineOf(key), key, message)
                : new Problem(0, key, "environment variable " + variable + " " + message);
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
