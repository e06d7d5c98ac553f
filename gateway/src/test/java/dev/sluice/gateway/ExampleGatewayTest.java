package dev.sluice.gateway;

import static dev.sluice.gateway.StandInStreamer.await;
import static dev.sluice.gateway.StandInStreamer.marker;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example in Java compiles against the library and does what it says, killed in between. */
@Timeout(60)
class ExampleGatewayTest {
    private static final Path EXAMPLE = Path.of("..", "examples", "java-gateway", "OrderGateway.java");
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void theJavaExampleReceivesRejectsAndIsThereAgainAfterItsDeath(@TempDir Path classes) throws Exception {
        var said = new StringWriter();
        var compiler = ToolProvider.getSystemJavaCompiler();
        var options =
                java.util.List.of("-d", classes.toString(), "-proc:none", "-cp", System.getProperty("java.class.path"));
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(EXAMPLE))
                    .call();
            assertThat(compiled).as(said.toString()).isTrue();
        }
        try (StandInStreamer streamer = new StandInStreamer();
                ChildProcess example = ChildProcess.start(spec(classes, streamer.address()))) {
            example.awaitLine("^listening at http://127.0.0.1:", SOON);
            deliver(streamer, example, "o1", 1);
            assertThat(streamer.deliver("order-gateway", "large-orders", "test-1", 2, marker(101)))
                    .contains("\"reason\":\"test orders are not for us\"");
            example.kill9();
            streamer.gateways.clear();
            example.restart();
            example.awaitLine("^listening at ", SOON);
            deliver(streamer, example, "o2", 3);
        }
    }

    private static void deliver(StandInStreamer streamer, ChildProcess example, String document, long seq)
            throws Exception {
        await("it is registered", () -> streamer.gateways.containsKey("order-gateway"));
        assertThat(streamer.deliver("order-gateway", "large-orders", document, seq, marker(101)))
                .startsWith("200 HTTP_2 ");
        example.awaitLine("^update " + document + " \\{\"_id\": \"" + document, SOON);
    }

    private static ProcessSpec spec(Path classes, String streamer) {
        var spec = ProcessSpec.java("java-gateway", "OrderGateway", streamer);
        var command = new java.util.ArrayList<>(spec.command());
        command.set(2, classes + java.io.File.pathSeparator + command.get(2));
        return new ProcessSpec(spec.name(), command, spec.environment(), spec.directory());
    }
}
