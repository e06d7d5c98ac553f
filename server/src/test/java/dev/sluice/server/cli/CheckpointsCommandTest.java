package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointsCommandTest {
    @TempDir
    Path folder;

    private record Answer(int code, String text) {}

    private static Answer sluice(String... arguments) {
        var text = new StringWriter();
        var both = new PrintWriter(text, true);
        return new Answer(Sluice.run(both, both, Map.of(), arguments), text.toString());
    }

    private Path config(DevMongo mongo, String name) throws IOException {
        return Files.writeString(
                folder.resolve(name + ".yaml"), """
                storage: {backends: [{name: shop, connection: '%s', database: shop}]}
                puller:
                  grpc: {address: ':0'}
                  health: {port: 0}
                  metrics: {port: 0}
                  backends: [{name: shop, start: now}]
                  buffer: {path: '%s', min_free: 1MiB}
                """.formatted(mongo.connectionString(), folder.resolve(name)));
    }

    private static Node start(Path config) throws IOException {
        return switch (ConfigFile.read(config, Map.of())) {
            case Reading.Accepted accepted -> Node.start(accepted.config(), Set.of(Role.PULLER), "test");
            case Reading.Refused refused -> throw new AssertionError(refused.problems());
        };
    }

    @Test
    void aNewLogGoesOnBehindAnExportedCheckpointAndNoOtherIsMoved() throws Exception {
        var file = folder.resolve("saved.json").toString();
        try (var mongo = DevMongo.builder().start()) {
            var old = config(mongo, "old");
            var fresh = config(mongo, "fresh");
            try (var role = start(old)) {
                await(() -> log(role).started());
                write(mongo, "before");
                await(() -> log(role).events() == 1 && log(role).checkpoint() != null);
                var admin = "127.0.0.1:" + role.http().adminPort();
                assertThat(sluice("checkpoints", "list", "--admin", admin).text())
                        .containsPattern("shop +\\d+-\\d+ +20\\d\\d-");
                assertThat(sluice("checkpoints", "list", "--json", "--admin", admin)
                                .text())
                        .contains("\"clusterTime\"")
                        .doesNotContain("\"saved\"");
                assertThat(sluice("checkpoints", "export", "--admin", admin, "--output", file))
                        .isEqualTo(new Answer(0, ""));
                assertThat(imported(old, file)).as("it runs").contains("1 ", "in use by another process");
            }
            write(mongo, "meanwhile");
            assertThat(imported(old, file)).as("it has its own place").contains("1 ", "nothing was imported");
            assertThat(imported(fresh, file)).contains("0 ", "shop: capture goes on behind");
            try (var role = start(fresh)) {
                await(() -> log(role).events() == 1);
            }
        }
    }

    @Test
    void whatIsNoExportIsRefused() throws Exception {
        try (var mongo = DevMongo.builder().start()) {
            var config = config(mongo, "any");
            for (var text : new String[] {
                "", "{}", "{\"checkpoints\": []}", "{\"checkpoints\": [{\"name\": \"shop\", \"saved\": \"AAAA\"}]}"
            }) {
                var file = Files.writeString(folder.resolve("bad.json"), text).toString();
                assertThat(imported(config, file)).as(text).startsWith("1 sluice: ");
            }
            assertThat(folder.resolve("any")).doesNotExist();
        }
    }

    private static String imported(Path config, String file) {
        var answer = sluice("checkpoints", "import", "--config", config.toString(), "--input", file);
        return answer.code() + " " + answer.text();
    }

    private static dev.sluice.log.LogState log(Node role) {
        return role.puller().backends().getFirst().log();
    }

    private static void write(DevMongo mongo, String id) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", id));
        }
    }

    private static void await(BooleanSupplier reached) throws InterruptedException {
        for (var k = 0; !reached.getAsBoolean(); k++) {
            assertThat(k).as("tries within 30 s").isLessThan(1500);
            Thread.sleep(20);
        }
    }
}
