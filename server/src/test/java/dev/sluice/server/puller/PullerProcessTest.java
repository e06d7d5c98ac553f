package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.SOON;
import static dev.sluice.server.puller.PullerSetup.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands as a person starts them: real processes, real signals. */
class PullerProcessTest {

    @TempDir
    Path folder;

    @Test
    void sigtermEndsItCleanlyAndTheNextStartResumesWithoutLoss() throws Exception {
        var grpc = freePort();
        var admin = freePort();
        try (var mongo = DevMongo.builder().start();
                var client = MongoClients.create(mongo.connectionString())) {
            var orders = client.getDatabase("shop").getCollection("orders");
            var config = folder.resolve("sluice.yaml");
            Files.writeString(
                    config,
                    new PullerSetup(folder.resolve("data"))
                            .backend("shop", mongo)
                            .backendOptions("start: earliest")
                            .ports(grpc, admin)
                            .yaml());
            try (var puller = ChildProcess.start(sluice("puller", "run", "--config", config.toString()))) {
                puller.awaitHealthy(URI.create("http://127.0.0.1:" + admin + "/health"), SOON);
                write(orders, "a");
                tailShows("first-tail", grpc, "a");
                assertThat(status(admin)).contains("healthy").contains("shop");
                assertThat(puller.terminate(SOON)).isZero();
                puller.awaitLine("capture stopped +backend=shop +status=CLOSED", SOON);
                puller.awaitLine("puller stopped", SOON);

                write(orders, "b");
                puller.restart();
                puller.awaitLine("resume token loaded", SOON);
                tailShows("second-tail", grpc, "a", "b");
                assertThat(puller.terminate(SOON)).isZero();
            }
        }
    }

    private static ProcessSpec sluice(String name, String... arguments) {
        return ProcessSpec.sluice(name, arguments)
                .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m");
    }

    private static void write(MongoCollection<Document> orders, String id) {
        orders.insertOne(new Document("_id", id));
    }

    private static void tailShows(String name, int grpc, String... ids) {
        try (var tail = ChildProcess.start(sluice(
                name,
                "tail",
                "--server",
                "127.0.0.1:" + grpc,
                "--since",
                "10m",
                "--limit",
                Integer.toString(ids.length)))) {
            for (var id : ids) {
                tail.awaitLine("insert +shop orders/" + id, SOON);
            }
            tail.awaitLine("go on with: sluice tail --after \\w+", SOON);
            assertThat(tail.awaitExit(SOON)).isZero();
        }
    }

    private static String status(int admin) throws Exception {
        try (var status = ChildProcess.start(sluice("status", "status", "--admin", "127.0.0.1:" + admin))) {
            assertThat(status.awaitExit(SOON)).isZero();
            return Files.readString(status.log());
        }
    }

    @Test
    void portsInUseAreAllSaidAtOnceAndNothingStarts() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var first = new PullerSetup(folder.resolve("first"))
                        .backend("shop", mongo)
                        .start()) {
            var config = folder.resolve("clash.yaml");
            Files.writeString(
                    config,
                    new PullerSetup(folder.resolve("second"))
                            .backend("shop", mongo)
                            .ports(first.puller().port(), first.http().adminPort())
                            .yaml());
            try (var second = ChildProcess.start(sluice("clash", "run", "--config", config.toString()))) {
                assertThat(second.awaitExit(SOON)).isEqualTo(1);
                assertThat(Files.readString(second.log()))
                        .contains("puller.grpc.address")
                        .contains("puller.health.port")
                        .contains("2 problems; nothing was started");
                assertThat(folder.resolve("second")).doesNotExist();
            }
        }
    }
}
