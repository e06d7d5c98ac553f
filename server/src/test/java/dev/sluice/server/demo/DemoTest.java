package dev.sluice.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {
    @TempDir
    Path data;

    @Test
    void itShowsWhatFlowsAndASecondStartGoesOnWithoutAGap() throws Exception {
        assertThat(shown(false, "payments insert"))
                .contains(
                        "mongodb://127.0.0.1:",
                        "/try?collection=orders",
                        "/health",
                        "/metrics",
                        "written",
                        "captured",
                        "delivered")
                .doesNotContain("resumed", "RESYNC");
        assertThat(shown(false, "payments insert")).contains("resumed").doesNotContain("RESYNC", "OUT OF RANGE");
        assertThat(shown(true, "insert")).doesNotContain("resumed", "RESYNC");
    }

    @Test
    void aSecondDemoDoesNotTouchTheDirectoryOfTheFirst() throws Exception {
        try (DirectoryLock first = DirectoryLock.take(data)) {
            assertThat(first).isNotNull();
            assertThatThrownBy(
                            () -> Demo.start(data, true, "test", new PrintWriter(new StringWriter()), event -> "seen"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another demo is running")
                    .hasMessageContaining("--data");
        }
        DirectoryLock.take(data).close();
    }

    /** Runs it until this is seen. */
    private String shown(boolean fresh, String awaited) throws Exception {
        var text = new StringWriter();
        try (var demo = Demo.start(
                data,
                fresh,
                "test",
                new PrintWriter(text, true),
                event -> event.getCollection() + " " + event.getOperationType() + " seen")) {
            for (var i = 0; i < 300 && !text.toString().contains(awaited); i++) {
                Thread.sleep(100);
                demo.tick();
            }
        }
        assertThat(text.toString()).contains(awaited);
        return text.toString();
    }
}
