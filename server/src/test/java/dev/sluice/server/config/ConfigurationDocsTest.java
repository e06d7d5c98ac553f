package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.config.yaml.KeyReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The documentation and the example say what the records say; neither can drift. */
class ConfigurationDocsTest {

    static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    static final Path EXAMPLE = ROOT.resolve("sluice.example.yaml");

    /** Commented lines that show a possible value, because the default is to have none, or follows another key. */
    private static final List<String> ILLUSTRATIONS = List.of(
            "path: data/streamer",
            "url: jdbc",
            "username: relay",
            "password: ${OUTBOX",
            "dead_letter_topic: shop.dead",
            "global_lock: outbox.task",
            "id: gateway-1",
            "streamer: 127",
            "advertise:",
            "secret:",
            "user: streamer",
            "user: relay",
            "assignment: sticky                   # else",
            "password:",
            "credentials:",
            "public_key:",
            "id_prefix: /",
            "constant: acme",
            "timeout: 30s                       # by profile",
            "fixed_rate: 10s                  # by profile",
            "lock_at_most_for: 30s",
            "stream: ORDERS",
            "user: worker",
            "subjects: [",
            "pattern: dc",
            "prefix: orders",
            "batch_bytes: 1MiB",
            "strategy: sticky                     # else",
            "id_file:",
            "type: http ",
            "url: https",
            "subject: out",
            "certificate:",
            "key:",
            "ca:",
            "token:",
            "levels:");

    @Test
    void theDocumentationListsExactlyTheKeysThereAre() throws Exception {
        var rows = new ArrayList<String>();
        for (var key : KeyReference.of(SluiceConfig.class)) {
            rows.add("| `%s` | %s | %s | %s |".formatted(key.key(), key.type(), key.fallback(), key.meaning()));
        }
        Files.write(Path.of("target/configuration-rows.md"), rows);
        assertThat(Files.readAllLines(ROOT.resolve("docs/configuration.md")))
                .as(
                        "the table rows of docs/configuration.md; the right ones are in server/target/configuration-rows.md")
                .filteredOn(line -> line.matches("\\| `[a-z].*"))
                .containsExactlyElementsOf(rows);
    }

    @Test
    void theExampleIsAcceptedWithoutAWarning() {
        assertThat(ConfigFile.read(EXAMPLE, Map.of()))
                .isInstanceOfSatisfying(
                        Reading.Accepted.class,
                        accepted -> assertThat(accepted.warnings()).isEmpty());
    }

    @Test
    void everyKeyStandsInTheExampleAtItsPlace() throws Exception {
        var shown = Files.readAllLines(EXAMPLE).stream()
                .map(ConfigurationDocsTest::uncomment)
                .collect(Collectors.joining("\n"));
        var known = KeyReference.of(SluiceConfig.class).stream()
                .map(KeyReference::key)
                .collect(Collectors.toSet());
        var found = new ArrayList<String>();
        collect("", new Load(LoadSettings.builder().build()).loadFromString(shown), known, found);
        assertThat(found).containsExactlyInAnyOrderElementsOf(known);
    }

    /** The full paths of what is not a section; a known key ends the way down, because its value may be a mapping. */
    private static void collect(String path, Object value, Set<String> known, List<String> into) {
        if (!known.contains(path) && value instanceof Map<?, ?> section) {
            section.forEach((key, below) -> collect(path.isEmpty() ? "" + key : path + "." + key, below, known, into));
        } else if (!known.contains(path) && value instanceof List<?> items) {
            items.forEach(item -> collect(path + "[]", item, known, into));
        } else {
            into.add(path);
        }
    }

    /** A commented line claims to be the default: with it, nothing may change. */
    @Test
    void whatTheExampleShowsAsDefaultIsTheDefault() throws Exception {
        var lines = Files.readAllLines(EXAMPLE);
        var environment = Map.of("HOSTNAME", "host-1", "SLUICE_TOKEN", "0123456789abcdef");
        var expected = ConfigFile.parse(String.join("\n", lines), environment);
        for (var i = 0; i < lines.size(); i++) {
            var line = uncomment(lines.get(i));
            if (!line.equals(lines.get(i)) && ILLUSTRATIONS.stream().noneMatch(line.strip()::startsWith)) {
                var changed = new ArrayList<>(lines);
                changed.set(i, line);
                assertThat(ConfigFile.parse(String.join("\n", changed), environment))
                        .as(line)
                        .isEqualTo(expected);
            }
        }
    }

    private static String uncomment(String line) {
        return line.replaceFirst("^( *)#(?=[a-z_]+: )", "$1");
    }
}
