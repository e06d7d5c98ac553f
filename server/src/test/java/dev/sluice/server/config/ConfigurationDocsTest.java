package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.config.yaml.KeyReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The documentation and the example say what the records say; neither can drift. */
class ConfigurationDocsTest {

    static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    static final Path EXAMPLE = ROOT.resolve("sluice.example.yaml");

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
    void theExampleShowsEveryKeyWithItsDefault() throws Exception {
        var uncommented = Files.readAllLines(EXAMPLE).stream()
                .map(line -> line.replaceFirst("^( *)#(?=[a-z_-])", "$1"))
                .toList();
        var missing = new HashSet<String>();
        for (var key : KeyReference.of(SluiceConfig.class)) {
            if (!isShown(uncommented, key.key().replace("[]", "").split("\\."))) {
                missing.add(key.key());
            }
        }
        assertThat(missing).isEmpty();
    }

    /** Whether the keys follow one another, each indented deeper than the one before. */
    private static boolean isShown(List<String> lines, String[] path) {
        var at = 0;
        for (var key : path) {
            while (at < lines.size() && !lines.get(at).matches("[ -]*" + key + ":.*")) {
                at++;
            }
            at++;
        }
        return at <= lines.size();
    }
}
