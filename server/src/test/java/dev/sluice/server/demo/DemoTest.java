package dev.sluice.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
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
        for (var source : Map.of("mongodb", "shop", "outbox", "till").entrySet()) {
            Demo.remove(data.resolve(source.getKey()));
            assertThat(shown(false, "RESYNC     changes of " + source.getValue()))
                    .as("the history of %s is lost", source.getKey())
                    .contains("a source no longer fits")
                    .doesNotContain("resumed", "without a gap");
        }
        assertThat(shown(true, "insert")).doesNotContain("resumed", "RESYNC");
    }

    /** What the page of the gateway proposes to try: a collection, a tenant and a filter. */
    @Test
    void theExamplesOfThePageToTryMatchOrdersOfTheDemo() throws Exception {
        var text = new StringWriter();
        var http = HttpClient.newHttpClient();
        try (var demo = Demo.start(data, true, "test", new PrintWriter(text, true), event -> "seen")) {
            assertThat(demo).isNotNull();
            var address = Pattern.compile("(http://\\S+)/try").matcher(text.toString());
            assertThat(address.find()).isTrue();
            var page = http.send(
                            HttpRequest.newBuilder(URI.create(address.group(1) + "/try"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            var query = Stream.of("collection", "tenant", "filter")
                    .map(name -> name + "=" + URLEncoder.encode(example(page, name), StandardCharsets.UTF_8))
                    .collect(Collectors.joining("&"));
            var stream = http.send(
                    HttpRequest.newBuilder(URI.create(address.group(1) + "/v1/events?" + query))
                            .build(),
                    HttpResponse.BodyHandlers.ofLines());
            assertThat(stream.body()
                            .anyMatch(line -> line.contains("\"tenant\":\"acme\"") && line.contains("\"shipped\"")))
                    .as("an order that the filter matched, not only the deletes that everybody is told")
                    .isTrue();
        } finally {
            http.shutdownNow();
        }
    }

    private static String example(String page, String field) {
        var found = Pattern.compile("id=\"" + field + "\"[^>]*placeholder=(?:\"([^\"]*)\"|'([^']*)')")
                .matcher(page);
        assertThat(found.find()).as(field).isTrue();
        return found.group(1) == null ? found.group(2) : found.group(1);
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
