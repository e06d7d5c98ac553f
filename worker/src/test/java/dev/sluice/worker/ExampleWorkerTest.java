package dev.sluice.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.SubjectTransform;
import java.io.File;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example of {@code docs/worker.md} compiles, handles, rejects, and hands over to a second one. */
@Timeout(120)
class ExampleWorkerTest {
    private static final Path EXAMPLE = Path.of("..", "examples", "java-worker", "OrderWorker.java");
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path classes;

    @Test
    void thePageShowsTheExampleThatIsTested() throws Exception {
        assertThat(Files.readString(Path.of("..", "docs", "worker.md")))
                .contains(Files.readString(EXAMPLE).strip());
    }

    @Test
    void twoWorkersShareTheOrdersAndOneGoesOnAfterTheOther() throws Exception {
        compile();
        try (NatsServer server = NatsServer.startPrivate(NatsLine.ANY);
                Connection nats = Nats.connect(server.url())) {
            nats.jetStreamManagement().addStream(orders());
            try (ChildProcess first = ChildProcess.start(spec("first", server.url()))) {
                publish(nats, "alice", "tea");
                first.awaitLine("^orders\\.64\\.\\d+\\.alice #1: tea$", SOON);
                publish(nats, "alice", " ");
                Awaitility.await()
                        .atMost(SOON)
                        .until(() -> nats.jetStreamManagement()
                                        .getStreamInfo("ORDERS_DEAD")
                                        .getStreamState()
                                        .getMsgCount()
                                == 1);
                try (ChildProcess second = ChildProcess.start(spec("second", server.url()))) {
                    first.terminate(SOON);
                    publish(nats, "alice", "honey");
                    second.awaitLine("^orders\\.64\\.\\d+\\.alice #3: honey$", SOON);
                    second.terminate(SOON);
                }
            }
        }
    }

    private static StreamConfiguration orders() {
        return StreamConfiguration.builder()
                .name("ORDERS")
                .subjects("orders.*")
                .storageType(StorageType.Memory)
                .subjectTransform(new SubjectTransform("orders.*", "orders.64.{{partition(64,1)}}.{{wildcard(1)}}"))
                .build();
    }

    private static void publish(Connection nats, String customer, String order) throws Exception {
        nats.jetStream().publish("orders." + customer, order.getBytes(StandardCharsets.UTF_8));
    }

    private void compile() throws Exception {
        var said = new StringWriter();
        var options = List.of("-d", classes.toString(), "-proc:none", "-cp", System.getProperty("java.class.path"));
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(EXAMPLE))
                    .call();
            assertThat(compiled).as(said.toString()).isTrue();
        }
    }

    private ProcessSpec spec(String name, String server) {
        var spec = ProcessSpec.java(name, "OrderWorker", server);
        var command = new ArrayList<>(spec.command());
        command.set(2, classes + File.pathSeparator + command.get(2));
        return new ProcessSpec(spec.name(), command, spec.environment(), spec.directory())
                .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    }
}
