package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static dev.sluice.server.puller.PullerSetup.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClients;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.log.EventLogException;
import dev.sluice.server.node.Node;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PullerRoleTest {
    private static final String QUICK_RETRIES = "reliability: {circuit_breaker: {timeout: 500ms}}\n";

    @TempDir
    Path data;

    @Test
    void whatIsWrittenReachesAConsumerAndARestartGoesOnFromThere() throws Exception {
        try (var mongo = DevMongo.builder().start()) {
            var setup = new PullerSetup(data).backend("shop", mongo).backendOptions("start: earliest");
            try (var role = setup.start()) {
                write(mongo, 1);
                assertThat(received(role, 1)).containsExactly("insert 1");
            }
            write(mongo, 2);
            try (var role = setup.start()) {
                write(mongo, 3);
                assertThat(received(role, 3)).containsExactly("insert 1", "insert 2", "insert 3");
            }
        }
    }

    private static void write(DevMongo mongo, int id) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", Integer.toString(id)));
        }
    }

    private static List<String> received(Node role, int events) throws InterruptedException {
        var received = new CopyOnWriteArrayList<String>();
        try (var consumer = EventConsumer.options()
                .address("127.0.0.1:" + role.puller().port())
                .start(ConsumerOptions.Start.OLDEST)
                .start(event -> received.add(event.getOperationType() + " " + event.getDocumentId()))) {
            await(events + " events, not " + received, () -> received.size() >= events);
            assertThat(consumer.marker()).isNotEmpty();
        }
        return received;
    }

    @Test
    void healthFollowsTheSourcesAndOneBackendAwayLeavesTheOthersAtWork() throws Exception {
        try (var a = DevMongo.builder().start();
                var b = DevMongo.builder().start();
                var c = DevMongo.builder().start()) {
            var setup = new PullerSetup(data)
                    .backend("a", a)
                    .backend("b", b)
                    .backend("c", c)
                    .sections(QUICK_RETRIES);
            try (var role = setup.start()) {
                var admin = role.http().adminPort();
                await("healthy", () -> status(admin).equals("healthy"));
                assertThat(get(admin, "/health").statusCode()).isEqualTo(200);

                a.script().kill();
                await("degraded by one of three", () -> status(admin).equals("degraded"));
                assertThat(get(admin, "/health").statusCode()).isEqualTo(200);
                assertThat(get(admin, "/livez").statusCode()).isEqualTo(200);
                write(b, 1);
                await("b is captured meanwhile", () -> ingested(role, "b") == 1);

                b.script().kill();
                await("unhealthy by two of three", () -> status(admin).equals("unhealthy"));
                assertThat(get(admin, "/health").statusCode()).isEqualTo(503);
                assertThat(get(admin, "/readyz").statusCode()).isEqualTo(200);

                a.script().start();
                b.script().start();
                await("healthy again", () -> status(admin).equals("healthy"));
            }
        }
    }

    private static String status(int admin) {
        return BsonDocument.parse(get(admin, "/health").body())
                .getString("status")
                .getValue();
    }

    private static long ingested(Node role, String backend) {
        return role.puller().backends().stream()
                .filter(each -> each.name().equals(backend))
                .findFirst()
                .orElseThrow()
                .capture()
                .counters()
                .eventsIngested();
    }

    @Test
    void theHealthReportHasTheFieldsOfTheContract() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var role = new PullerSetup(data).backend("shop", mongo).start()) {
            await("healthy", () -> status(role.http().adminPort()).equals("healthy"));
            write(mongo, 1);
            await("captured", () -> ingested(role, "shop") == 1);
            var health =
                    BsonDocument.parse(get(role.http().adminPort(), "/health").body());
            assertThat(health.keySet()).containsExactly("status", "uptimeSeconds", "version", "backends", "partitions");
            var backend = health.getArray("backends").get(0).asDocument();
            assertThat(backend.keySet()).containsExactly("name", "status", "lastEventTime", "lagSeconds");
            assertThat(backend.getString("lastEventTime").getValue()).startsWith("20");
        }
    }

    @Test
    void theAdminApiListsBackendsConsumersAndCheckpoints() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var role = new PullerSetup(data).backend("shop", mongo).start();
                var consumer = EventConsumer.options()
                        .label("billing")
                        .address("127.0.0.1:" + role.puller().port())
                        .start(event -> {})) {
            var admin = role.http().adminPort();
            await(
                    "the consumer is listed",
                    () -> get(admin, "/admin/v1/consumers").body().contains("billing"));
            var listed = BsonDocument.parse(get(admin, "/admin/v1/consumers").body())
                    .getArray("consumers")
                    .get(0)
                    .asDocument();
            assertThat(listed.keySet())
                    .contains(
                            "id",
                            "state",
                            "eventsBehind",
                            "secondsBehind",
                            "overtakenInSeconds",
                            "warning",
                            "positions");
            await(
                    "a checkpoint",
                    () -> get(admin, "/admin/v1/checkpoints").body().contains("20"));
            assertThat(get(admin, "/admin/v1/backends").body()).contains("\"name\": \"shop\"");
            assertThat(get(admin, "/admin/v1/status").body())
                    .contains("billing")
                    .contains("shop");
            assertThat(consumer.marker()).isNotNull();
        }
    }

    @Test
    void theTokenIsDemandedWhereOneIsSetAndNeverShown() throws Exception {
        var token = "a-token-of-sixteen-or-more";
        try (var mongo = DevMongo.builder().start();
                var role = new PullerSetup(data)
                        .backend("shop", mongo)
                        .sections("security: {token: " + token + "}\n")
                        .start()) {
            var admin = role.http().adminPort();
            assertThat(get(admin, "/admin/v1/status").statusCode()).isEqualTo(401);
            assertThat(get(admin, "/health").statusCode()).isEqualTo(401);
            assertThat(get(role.http().metricsPort(), "/metrics").statusCode()).isEqualTo(401);
            assertThat(get(admin, "/livez").statusCode()).isEqualTo(200);
            assertThat(get(admin, "/admin/v1/status").body()).doesNotContain(token);
        }
    }

    @Test
    void aSecondPullerOnTheSameDirectoryIsToldSoAndLeavesTheFirstAlone() throws Exception {
        try (var mongo = DevMongo.builder().start()) {
            var setup = new PullerSetup(data).backend("shop", mongo).backendOptions("start: earliest");
            try (var role = setup.start()) {
                assertThatThrownBy(setup::start)
                        .isInstanceOf(EventLogException.class)
                        .hasMessageContaining("in use by another process");
                write(mongo, 1);
                assertThat(received(role, 1)).containsExactly("insert 1");
            }
        }
    }

    @Test
    void aFailedStartCleansUp() throws Exception {
        try (var mongo = DevMongo.builder().start()) {
            var setup = new PullerSetup(data).backend("shop", mongo);
            try (var first = setup.start()) {
                var clash = new PullerSetup(data.resolve("other"))
                        .backend("shop", mongo)
                        .ports(first.puller().port(), 0);
                assertThatThrownBy(clash::start).isInstanceOf(java.io.IOException.class);
                assertThatThrownBy(clash::start)
                        .as("its log is free again: what fails is the port, as before")
                        .isInstanceOf(java.io.IOException.class);
            }
        }
    }
}
