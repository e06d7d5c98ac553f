package dev.sluice.server.config;

import dev.sluice.server.config.yaml.KeyReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The source of one test: its method, what that calls of its own class, what runs before it, and the setups it makes. Reads
 * text only, so it sees which values the test writes below which sections, not whether they are used.
 */
record ProofSource(Map<String, String> sources, String testClass, String method) {
    private static final Pattern METHOD =
            Pattern.compile("(?m)^    (?=\\S)[^\\n;=]*\\b(\\w+)\\([^;{]*\\{\\n[\\s\\S]*?^    \\}");

    private static final Pattern BEFORE = Pattern.compile("@Before(?:Each|All)\\s[^(]*?(\\w+)\\(");

    /** A section of the file: as YAML, or as the part of a setup that takes what stands in it. */
    private static final Pattern SECTION = Pattern.compile("\\b("
            + KeyReference.of(SluiceConfig.class).stream()
                    .map(each -> each.key().replaceFirst("\\..*", ""))
                    .distinct()
                    .collect(Collectors.joining("|"))
            + ")(?::|\\(\")");

    private static final Pattern VALUE = Pattern.compile("\\s*['\"]?([^,}'\"\\s\\\\]+)");

    /** What it sets a key to; a placeholder such as {@code %s} stands for what is put there. */
    List<String> values(String key) {
        var names = key.replace("[]", "").split("\\.");
        var text = text();
        var found = new ArrayList<String>();
        var section = SECTION.matcher(text);
        for (var more = section.find(); more; ) {
            var isIt = section.group(1).equals(names[0]);
            var from = section.end() - 1;
            more = section.find();
            if (isIt) {
                add(text.substring(from, more ? section.start() : text.length()), names, found);
            }
        }
        return found;
    }

    private static void add(String section, String[] names, List<String> found) {
        var at = 0;
        for (var k = 1; k < names.length; k++) {
            var name = Pattern.compile("\\b" + names[k] + ":").matcher(section);
            if (!name.find(at)) {
                return;
            }
            at = name.end();
        }
        var value = VALUE.matcher(section).region(at, section.length());
        if (value.lookingAt()) {
            found.add(value.group(1));
        }
    }

    /** What is called first: a test adds to what its setup begins. */
    private String text() {
        var source = sources.getOrDefault(testClass, "");
        var methods = new LinkedHashMap<String, String>();
        METHOD.matcher(source).results().forEach(each -> methods.merge(each.group(1), each.group(), String::concat));
        var called = new LinkedHashSet<String>();
        BEFORE.matcher(source).results().forEach(each -> collect(each.group(1), methods, called));
        collect(method, methods, called);
        var own = called.stream().map(name -> methods.getOrDefault(name, "")).collect(Collectors.joining("\n"));
        return (setups(own) + own).replace("\\n", "\n");
    }

    private static void collect(String name, Map<String, String> methods, Set<String> called) {
        var body = methods.get(name);
        if (body == null || called.contains(name)) {
            return;
        }
        called.add(name);
        methods.keySet().stream()
                .filter(other ->
                        Pattern.compile("\\b" + other + "\\(").matcher(body).find())
                .forEach(other -> collect(other, methods, called));
        called.remove(name);
        called.add(name);
    }

    private String setups(String text) {
        var module = testClass.substring(0, testClass.indexOf(' ') + 1);
        return sources.entrySet().stream()
                .filter(each -> each.getKey().startsWith(module))
                .filter(each -> text.contains("new " + each.getKey().substring(module.length()) + "("))
                .map(Map.Entry::getValue)
                .collect(Collectors.joining("\n"));
    }
}
