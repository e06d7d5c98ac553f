package dev.sluice.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code docs/outbox.md} shows what is there. */
class OutboxDocsTest {
    private static String page() throws Exception {
        return Files.readString(Path.of("..", "docs", "outbox.md"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc-outbox/OrderOutbox.java",
                "spring-outbox/OrdersApplication.java",
                "spring-outbox/application.properties",
                "spring-outbox/schema.sql"
            })
    void thePageShowsTheExamplesThatAreTested(String file) throws Exception {
        assertThat(page())
                .contains(Files.readString(Path.of("..", "examples").resolve(file))
                        .strip());
    }

    @Test
    void everyPropertyHasItsDefaultAndMeaningInTheTable() throws Exception {
        JsonNode metadata;
        try (var resource = OutboxProperties.class
                .getClassLoader()
                .getResourceAsStream("META-INF/spring-configuration-metadata.json")) {
            metadata = JsonMapper.shared().readTree(resource);
        }
        List<String> rows = new ArrayList<>();
        for (JsonNode property : metadata.get("properties")) {
            String name = property.get("name").asString();
            if (name.startsWith("outbox.") || name.startsWith("shedlock.")) {
                JsonNode fallback = property.get("defaultValue");
                String shown = fallback == null ? "" : '`' + fallback.asString() + "` ";
                String meaning = property.get("description").asString();
                rows.add("| `" + name + "` | " + shown + "| " + meaning + " |");
            }
        }
        assertThat(rows).hasSizeGreaterThan(20);
        assertThat(page().lines().toList()).containsAll(rows);
    }
}
