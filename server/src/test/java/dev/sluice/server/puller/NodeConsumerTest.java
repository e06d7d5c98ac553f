package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.mongodb.client.MongoClients;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.server.node.Node;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.NodeProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example in another language does what it says, by the published proto alone. */
@Timeout(180)
class NodeConsumerTest {
    private static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
    private static final String EXAMPLE = "examples/node-consumer";
    private static final String PROTO = "grpc/src/main/proto/sluice/puller/v1/puller.proto";
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void theNodeExamplePrintsEveryChangeAndGoesOnAfterItsOwnAndThePullersDeath() throws Exception {
        var node = NodeProgram.find();
        assumeTrue(node.isPresent(), "needs Node.js 18 or newer with npm on the PATH: install it to test the example");
        var example = copyOfExample(node.get());
        try (var mongo = DevMongo.builder().start()) {
            var setup = new PullerSetup(folder.resolve("data"))
                    .backend("shop", mongo)
                    .ports(PullerSetup.freePort(), 0);
            var puller = setup.start();
            var spec = ProcessSpec.of(
                            "node-consumer",
                            node.get().node().toString(),
                            "consumer.mjs",
                            "127.0.0.1:" + puller.puller().port())
                    .in(example);
            try (var consumer = ChildProcess.start(spec)) {
                var marker = example.resolve("sluice.marker");
                await("it has a marker before its first event", () -> Files.exists(marker));
                write(mongo, "1");
                consumer.awaitLine("^insert orders/1 .*\"_id\": ?\"1\"", SOON);

                puller.close();
                write(mongo, "2");
                puller = setup.start();
                consumer.awaitLine("^insert orders/2 ", SOON);
                awaitMarkerOf(puller, marker);

                consumer.kill9();
                write(mongo, "3");
                consumer.restart();
                consumer.awaitLine("^insert orders/3 ", SOON);
                assertThat(printed(consumer)).containsExactly("insert orders/1", "insert orders/2", "insert orders/3");
            } finally {
                puller.close();
            }
        }
    }

    /** The same folders as in the repository, which stays as it is. */
    private Path copyOfExample(NodeProgram node) throws IOException {
        var example = Files.createDirectories(folder.resolve(EXAMPLE));
        var proto = folder.resolve(PROTO);
        Files.createDirectories(proto.getParent());
        Files.copy(REPOSITORY.resolve(PROTO), proto);
        for (var file : List.of("consumer.mjs", "package.json")) {
            Files.copy(REPOSITORY.resolve(EXAMPLE).resolve(file), example.resolve(file));
        }
        Files.createSymbolicLink(example.resolve("node_modules"), node.modulesOf(REPOSITORY.resolve(EXAMPLE)));
        return example;
    }

    /** What it printed last is behind its marker, so that it will not print it again. */
    private static void awaitMarkerOf(Node puller, Path marker) throws InterruptedException {
        var head = puller.puller().backends().getFirst().log().head().id().toString();
        await("its marker is at " + head, () -> text(marker).contains(head));
    }

    private static String text(Path marker) {
        try {
            return new String(java.util.Base64.getUrlDecoder().decode(Files.readString(marker)));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static List<String> printed(ChildProcess consumer) throws IOException {
        return Files.readAllLines(consumer.log()).stream()
                .filter(line -> line.startsWith("insert "))
                .map(line -> String.join(" ", List.of(line.split(" ")).subList(0, 2)))
                .toList();
    }

    private static void write(DevMongo mongo, String id) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", id));
        }
    }
}
