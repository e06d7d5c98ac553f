package dev.sluice.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LineLayoutTest {
    private final LoggerContext context = new LoggerContext();
    private final LineLayout layout = new LineLayout();

    @Test
    void anEventIsOneLineWithItsKeysAndValues() {
        var line = line(
                Level.INFO,
                "connection failed",
                new KeyValuePair("backend", "shop"),
                new KeyValuePair("reason", "a\nb c"));
        assertThat(line).endsWith("INFO  capture   connection failed  backend=shop  reason=a\n");
        assertThat(line.lines()).hasSize(1);
    }

    @Test
    void valuesWithBlanksAreQuotedAndLongOnesCut() {
        assertThat(line(Level.INFO, "m", new KeyValuePair("k", "a b"))).endsWith("k=\"a b\"\n");
        assertThat(line(Level.INFO, "m", new KeyValuePair("k", "x".repeat(5000))))
                .hasSizeLessThan(400);
    }

    @Test
    void aPasswordInAConnectionStringNeverGetsOut() {
        assertThat(line(
                        Level.WARN,
                        "cannot reach mongodb://anna:secret@db.example:27017/shop",
                        new KeyValuePair("reason", "mongodb+srv://anna:secret@db.example")))
                .doesNotContain("secret")
                .doesNotContain("anna")
                .contains("db.example:27017");
    }

    @Test
    void onlyAnErrorBringsItsStackTrace() {
        assertThat(failure(Level.WARN).lines()).hasSize(1);
        assertThat(failure(Level.ERROR))
                .contains("java.lang.IllegalStateException: broken")
                .contains("at dev.sluice");
    }

    private String failure(Level level) {
        var logger = context.getLogger("dev.sluice.capture");
        return layout.doLayout(new LoggingEvent(
                LineLayoutTest.class.getName(), logger, level, "failed", new IllegalStateException("broken"), null));
    }

    private String line(Level level, String message, KeyValuePair... pairs) {
        var logger = context.getLogger("dev.sluice.capture");
        var event = new LoggingEvent(LineLayoutTest.class.getName(), logger, level, message, null, null);
        List.of(pairs).forEach(event::addKeyValuePair);
        return layout.doLayout(event);
    }
}
