package dev.sluice.server.config.yaml;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The entries of one YAML mapping, by key; repeated keys are reported, and the first one counts. */
final class Section {

    private final String path;
    private final Problems problems;
    private final Map<String, Node> entries = new LinkedHashMap<>();
    private final Map<String, String> spelling = new LinkedHashMap<>();
    private final Map<String, Integer> lines = new LinkedHashMap<>();

    private Section(String path, Problems problems) {
        this.path = path;
        this.problems = problems;
    }

    /** @param relaxed whether the keys are setting names, whose spellings fold, or a user's own */
    static Section of(@Nullable Node node, String path, boolean relaxed, Problems problems) {
        var section = new Section(path, problems);
        if (node instanceof MappingNode mapping) {
            for (var tuple : mapping.getValue()) {
                section.add(tuple.getKeyNode(), tuple.getValueNode(), relaxed);
            }
        } else if (node != null && !isNothing(node)) {
            problems.add(path, "must be a section of `key: value` lines");
        }
        return section;
    }

    static boolean isNothing(Node node) {
        return node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.NULL);
    }

    static String child(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private void add(Node key, Node value, boolean relaxed) {
        var line = key.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
        if (!(key instanceof ScalarNode scalar)) {
            problems.addAt(line, path, "has a key that is not a plain word; write `key: value`");
            return;
        }
        var text = scalar.getValue();
        var name = relaxed ? Names.canonical(text) : text;
        if (entries.containsKey(name)) {
            var first = spelling.get(name);
            problems.addAt(
                    line,
                    child(path, Quote.of(text)),
                    text.equals(first)
                            ? "is set twice; keep one"
                            : "is set twice, also as " + Quote.of(String.valueOf(first)) + "; keep one");
            return;
        }
        entries.put(name, value);
        spelling.put(name, text);
        lines.put(name, line);
    }

    /** The value of a setting, removed, its line noted under the key's documented name; null when absent. */
    @Nullable
    Node take(String documentedKey) {
        var name = Names.canonical(documentedKey);
        var line = lines.get(name);
        if (line != null) {
            problems.locate(child(path, documentedKey), line);
        }
        return entries.remove(name);
    }

    /** Reports a key, if it is there, with this reason. */
    void refuse(String key, String reason) {
        if (take(key) != null) {
            problems.add(child(path, key), reason);
        }
    }

    /** What nobody took is not a setting. */
    void refuseTheRest(Collection<String> known) {
        for (var name : entries.keySet()) {
            var text = String.valueOf(spelling.get(name));
            problems.addAt(
                    lines.getOrDefault(name, 0),
                    child(path, Quote.of(text)),
                    "is not a setting; "
                            + Names.nearest(text, known)
                                    .map(near -> "did you mean " + near + "?")
                                    .orElse("known here: " + String.join(", ", known)));
        }
    }

    /** The entries of a map whose keys are the user's own. */
    Map<String, Node> all() {
        lines.forEach((name, line) -> problems.locate(child(path, name), line));
        return entries;
    }
}
