package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.http.RequestBody;
import dev.sluice.model.InvalidInputException;
import dev.sluice.server.cli.SluiceRun;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code sluice run --role worker} on a real NATS server. */
@Timeout(120)
class WorkerRoleTest {
    private final String name = "w" + UUID.randomUUID().toString().substring(0, 8);
    private final List<String> streams = new ArrayList<>();
    private Connection nats;

    @BeforeEach
    void stream() throws Exception {
        nats = Nats.connect(NatsServer.shared().url());
        make(name, name + ".>");
        streams.add(name + "-dead");
    }

    private void make(String stream, String subjects) throws Exception {
        streams.add(stream);
        nats.jetStreamManagement()
                .addStream(StreamConfiguration.builder()
                        .name(stream)
                        .subjects(subjects)
                        .storageType(StorageType.Memory)
                        .build());
    }

    @AfterEach
    void cleanUp() throws Exception {
        for (var stream : streams) {
            if (nats.jetStreamManagement().getStreamNames().contains(stream)) {
                nats.jetStreamManagement().deleteStream(stream);
            }
        }
        nats.close();
    }

    private SluiceConfig config(String prefix, String handler) {
        var reading = ConfigFile.parse(
                """
                puller: {grpc: {address: ':0'}, health: {port: 0}, metrics: {port: 0}}
                worker:
                  servers: ['%s']
                  stream: %s
                  consumer_prefix: %s
                  partitions: {subjects: [%s]}
                  attempts: 2
                  backoff: [20ms]
                  dlq: {stream: %s-dead, max_bytes: 10MiB}
                  handler: {%s, timeout: 15s}
                """.formatted(NatsServer.shared().url(), name, prefix, name + ".eu, " + name + ".us", name, handler),
                Map.of());
        assertThat(reading).isInstanceOf(Reading.Accepted.class);
        return ((Reading.Accepted) reading).config();
    }

    private static Node start(SluiceConfig config) throws Exception {
        return Node.start(config, EnumSet.of(Role.WORKER), "test");
    }

    private void publish(String subject, String... texts) throws Exception {
        for (var text : texts) {
            nats.jetStream().publish(name + "." + subject, text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static HttpResponse<String> ask(Node node, String path) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + node.http().adminPort() + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static void await(String what, Callable<Boolean> reached) throws Exception {
        var end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!reached.call()) {
            assertThat(System.nanoTime() - end).as("%s within 60 s", what).isNegative();
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static String sluice(Node node, String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--admin", "127.0.0.1:" + node.http().adminPort()));
        return SluiceRun.of(all.toArray(String[]::new));
    }

    private static BsonDocument status(Node node) throws Exception {
        return BsonDocument.parse(ask(node, "/admin/v1/worker").body());
    }

    private static long number(BsonDocument answer, String name) {
        return answer.getNumber(name).longValue();
    }

    @Test
    void everyMessageReachesTheHttpReceiverInOrderPerPartitionAndPoisonBecomesADeadLetter() throws Exception {
        publish("eu", "e1", "e2");
        publish("us", "u1");
        try (var target = new HttpTarget();
                var node = start(config(name, "type: http, token: hunter2, url: %s".formatted(target.url())))) {
            await("all", () -> target.accepted.size() == 3);
            assertThat(target.accepted).containsSubsequence("e1", "e2").contains("u1");
            assertThat(target.requests).hasSize(3);
            var request = target.requests.getFirst();
            assertThat(request.headers()).containsEntry("sluice-stream", name).containsKey("sluice-fencing-token");
            await("cursors", () -> status(node).getArray("partitions").size() == 2 && number(status(node), "lag") == 0);

            thatAPoisonedOneIsKeptAndRetried(target, node);
            thatAnOutageIsNoFaultOfTheMessage(target, node);
            thatItPausesAndResumes(target, node);
            thatHealthAndMetricsTell(node);

            thatPartitionsAreListedAndChanged(target, node);
            thatTheConsumerModeIsMigrated(node);
            thatALargeBodyIsRefused(node);

            assertThat(sluice(node, "worker", "drain")).contains("draining");
            await("drained", () -> status(node).getString("state").getValue().equals("stopped"));
        }
    }

    private void thatAPoisonedOneIsKeptAndRetried(HttpTarget target, Node node) throws Exception {
        target.answer(body -> body.equals("poison") ? 500 : body.equals("never") ? 422 : 200);
        publish("eu", "poison", "never", "e3");
        await("the next", () -> target.accepted.contains("e3"));
        assertThat(target.requests.stream().filter(it -> it.body().equals("poison")))
                .as("attempts")
                .hasSize(2);
        assertThat(target.requests.stream().filter(it -> it.body().equals("never")))
                .as("refused at once")
                .hasSize(1);
        var list = BsonDocument.parse(sluice(node, "worker", "dlq", "list", "--json"))
                .getArray("deadLetters");
        assertThat(list).hasSize(2);
        assertThat(sluice(node, "worker", "dlq", "list")).contains("HTTP 500", "HTTP 422", name + ".eu");
        var poison = list.get(0).asDocument().getString("id").getValue();
        var never = list.get(1).asDocument().getString("id").getValue();
        assertThat(sluice(node, "worker", "dlq", "show", poison)).contains("\"poison\"", "HTTP 500");
        target.answer(body -> 200);
        assertThat(sluice(node, "worker", "dlq", "retry", poison)).contains("published again: " + poison);
        await("the retry", () -> target.accepted.contains("poison"));
        assertThat(sluice(node, "worker", "dlq", "delete", never)).contains("deleted: " + never);
        assertThat(sluice(node, "worker", "dlq", "list")).isEqualTo("no dead letters\n");
        assertThat(sluice(node, "worker", "dlq", "retry", never)).contains("stays: " + never);
        assertThat(sluice(node, "worker", "dlq", "show", "x")).contains("the id of a dead letter is");
    }

    /** More attempts than a message has, and no dead letter. */
    private void thatAnOutageIsNoFaultOfTheMessage(HttpTarget target, Node node) throws Exception {
        target.answer(body -> 503);
        publish("us", "u2");
        await(
                "attempts",
                () -> target.requests.stream()
                                .filter(it -> it.body().equals("u2"))
                                .count()
                        > 4);
        assertThat(ask(node, "/health").body()).contains("HTTP 503");
        target.answer(body -> 200);
        await("delivered", () -> target.accepted.contains("u2"));
        await("healthy", () -> ask(node, "/health").body().contains("\"status\": \"healthy\""));
        assertThat(sluice(node, "worker", "dlq", "list")).isEqualTo("no dead letters\n");
    }

    /** Another group starts meanwhile and handles the whole stream: time enough for a worker that is not paused. */
    private void thatItPausesAndResumes(HttpTarget target, Node node) throws Exception {
        assertThat(sluice(node, "worker", "pause")).contains("paused");
        var before = target.requests.size();
        publish("us", "u3");
        try (var others = new HttpTarget();
                var other = start(config(name + "-other", "type: http, url: %s".formatted(others.url())))) {
            await("the other group", () -> others.accepted.contains("u3") && number(status(other), "lag") == 0);
        }
        assertThat(status(node).getArray("partitions"))
                .hasSize(2)
                .allMatch(partition -> partition
                        .asDocument()
                        .getString("waiting", new BsonString("no"))
                        .getValue()
                        .equals("paused"));
        assertThat(sluice(node, "worker", "status")).contains("paused");
        assertThat(target.requests).hasSize(before);
        assertThat(sluice(node, "worker", "resume")).contains("running");
        await("resumed", () -> target.accepted.contains("u3"));
    }

    private void thatHealthAndMetricsTell(Node node) throws Exception {
        var health = BsonDocument.parse(ask(node, "/health").body());
        assertThat(health.getArray("worker"))
                .extracting(part -> part.asDocument().getString("name").getValue())
                .containsExactly("membership", "consumers", "partitions", "receiver");
        assertThat(node.scrape())
                .contains("sluice_worker_consumer_messages_total", "sluice_worker_dead_letters_total 2");
        assertThat(sluice(node, "worker", "status"))
                .contains("PARTITION", name + ".eu", "worker w0 of " + name + " on stream " + name + " to http");
        assertThat(sluice(node, "status")).contains("worker w0 of " + name);
    }

    private void thatPartitionsAreListedAndChanged(HttpTarget target, Node node) throws Exception {
        assertThat(sluice(node, "worker", "partitions", "list"))
                .contains(
                        name + ".us", "w0", name + ": a list of 2 subjects; 1 workers, 0 partitions without an owner");
        var subjects = name + ".eu," + name + ".us," + name + ".asia";
        assertThat(sluice(node, "worker", "partitions", "change", "--subjects", subjects))
                .contains("1 added, 0 reopened, 0 closed, 0 closing");
        publish("asia", "a1");
        await("the new partition", () -> target.accepted.contains("a1"));
        assertThat(sluice(node, "worker", "partitions", "change", "--subjects", "a.*"))
                .contains("has a wildcard");
    }

    private static void thatTheConsumerModeIsMigrated(Node node) throws Exception {
        assertThat(sluice(node, "worker", "migrate", "--to", "per-key"))
                .contains("the mode must be per-partition or per-worker, not \"per-key\"");
        assertThat(sluice(node, "worker", "migrate", "--to", "per-worker"))
                .contains("uses per-worker consumers already");
        assertThat(sluice(node, "worker", "migrate", "--to", "per-partition"))
                .contains("migration per-worker to per-partition: shadow since", "per-worker handles");
        await(
                "the worker follows",
                () -> number(status(node), "subjects") > 0
                        && sluice(node, "worker", "status").contains("this worker: 0 good windows in a row"));
        assertThat(sluice(node, "worker", "migrate", "--status")).contains("WORKER", "w0");
        assertThat(node.scrape()).contains("sluice_worker_migration_phase 1");
        assertThat(sluice(node, "worker", "migrate", "--forget")).contains("abort it first");
        assertThat(sluice(node, "worker", "migrate", "--abort")).contains("rolled-back", "aborted by an operator");
        await("the end of the migration", () -> sluice(node, "worker", "status").contains("rolled-back since"));
        assertThat(sluice(node, "worker", "migrate", "--forget")).contains("no migration");
    }

    private static void thatALargeBodyIsRefused(Node node) throws Exception {
        var large = "{\"pattern\": \"" + "x".repeat(RequestBody.LONGEST) + "\"}";
        for (var path : List.of("/partitions", "/dlq/retry")) {
            var address = URI.create("http://127.0.0.1:" + node.http().adminPort() + "/admin/v1/worker" + path);
            try (var client = HttpClient.newHttpClient()) {
                var request = HttpRequest.newBuilder(address)
                        .method(path.equals("/partitions") ? "PUT" : "POST", BodyPublishers.ofString(large))
                        .build();
                assertThat(client.send(request, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .as(path)
                        .isEqualTo(413);
            }
        }
    }

    @Test
    void messagesReachAGrpcServiceAndAnotherStream() throws Exception {
        make(name + "-out", name + "out.>");
        publish("eu", "e1", "e2");
        try (var target = new GrpcTarget();
                var toGrpc = start(config(name + "-grpc", "type: grpc, url: %s".formatted(target.url())));
                var toStream =
                        start(config(name + "-nats", "type: nats, subject: '%sout.{subject}'".formatted(name)))) {
            await("grpc", () -> target.accepted.size() == 2);
            assertThat(target.accepted)
                    .extracting(request -> request.getData().toStringUtf8())
                    .containsExactly("e1", "e2");
            assertThat(target.accepted.getFirst().getPartition()).isEqualTo(name + ".eu");
            var management = nats.jetStreamManagement();
            await(
                    "stream",
                    () -> management
                                    .getStreamInfo(name + "-out")
                                    .getStreamState()
                                    .getMsgCount()
                            == 2);
            var first = management.getMessage(name + "-out", 1);
            assertThat(first.getSubject()).isEqualTo(name + "out." + name + ".eu");
            assertThat(new String(first.getData(), StandardCharsets.UTF_8)).isEqualTo("e1");
            assertThat(first.getHeaders().getFirst("Nats-Msg-Id")).startsWith(name + "-nats-" + name + "-1-");
            assertThat(toGrpc.worker().worker().status().group()).isEqualTo(name + "-grpc");
            assertThat(status(toStream).getString("handler").getValue()).isEqualTo("nats");
        }
    }

    @Test
    void whatCannotWorkIsRefusedBeforeTheStart() throws Exception {
        assertThatThrownBy(() -> start(config(name, "type: nats, subject: '" + name + ".done'")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("choose a subject of another stream");
        nats.jetStreamManagement().deleteStream(name);
        assertThatThrownBy(() -> start(config(name, "type: http, url: 'http://127.0.0.1:1'")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("worker.stream");
    }

    @Test
    void natsServersThatAskForALoginGetIt() throws Exception {
        try (var asking = NatsServer.startPrivate("--user=u", "--pass=hunter2")) {
            var right = "user: u, password: hunter2";
            opensWith(asking, right);
            assertThatThrownBy(() -> opensWith(asking, right.replace("hunter2", "hunter3")))
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageContaining("worker.user")
                    .message()
                    .doesNotContain("hunter");
        }
        try (var asking = NatsServer.startPrivate("--auth=geheim")) {
            opensWith(asking, "token: geheim");
        }
    }

    private static void opensWith(NatsServer server, String login) throws Exception {
        var yaml = "worker: {servers: ['%s'], %s}".formatted(server.url(), login);
        var config = ((Reading.Accepted) ConfigFile.parse(yaml, Map.of())).config();
        WorkerConnection.open(
                        WorkerParts.access(config.worker(), config.security().tls()), "test")
                .close();
    }
}
