package dev.sluice.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice worker} without a node, and what {@code check} says of the section; the commands at work: WorkerRoleTest. */
class WorkerCommandTest {
    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {}

    private static Answer sluice(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var code = Sluice.run(new PrintWriter(out, true), new PrintWriter(err, true), Map.of(), arguments);
        return new Answer(code, out.toString(), err.toString());
    }

    private Answer check(String yaml) throws Exception {
        var file = Files.writeString(folder.resolve("sluice.yaml"), yaml);
        return sluice("check", "--role", "worker", "--config", file.toString());
    }

    @Test
    void helpTeachesAndWrongUsageIsOneSentence() {
        for (var command : List.of("status", "pause", "resume", "drain", "migrate")) {
            assertThat(sluice("worker", command, "--help").out()).contains("For example", "--admin", "--json");
        }
        for (var command : List.of("list", "show", "retry", "delete")) {
            assertThat(sluice("worker", "dlq", command, "--help").out()).contains("For example", "--admin");
        }
        for (var command : List.of("list", "change")) {
            assertThat(sluice("worker", "partitions", command, "--help").out()).contains("For example", "--admin");
        }
        assertThat(sluice("worker", "dlq", "delete", "--help").out()).contains("There is no way back");
        assertThat(sluice("worker").code()).isEqualTo(2);
        assertThat(sluice("worker").err())
                .contains("name status, pause, resume, drain, partitions, migrate, dlq or import");
        assertThat(sluice("worker", "dlq").err()).contains("name list, show, retry or delete");
        assertThat(sluice("worker", "dlq", "retry").err()).contains("name ids, or --all, and not both");
        assertThat(sluice("worker", "dlq", "retry", "--all", "1.2.3").code()).isEqualTo(2);
        assertThat(sluice("worker", "partitions", "change").code()).isEqualTo(2);
        assertThat(sluice("worker", "partitions", "change", "--hashed", "orders")
                        .err())
                .contains("write --hashed PREFIX:COUNT, as in orders:128");
        assertThat(sluice("worker", "migrate").code()).isEqualTo(2);
        assertThat(sluice("worker", "migrate", "--abort", "--status").code()).isEqualTo(2);
        assertThat(sluice("worker", "statsu").err()).contains("did you mean status?");
    }

    @Test
    void aNodeThatIsNotThereIsAFailure() {
        var answer = sluice("worker", "status", "--admin", "127.0.0.1:1");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.err()).contains("no node answers at 127.0.0.1:1");
    }

    @Test
    void aRequestThatTakesTooLongIsNotCalledAnAbsentNode() {
        assertThat(AdminAddress.sentence("n:1", new HttpTimeoutException("late")))
                .contains("n:1 did not answer within 10 s", "goes on with it");
        assertThat(AdminAddress.sentence("n:1", new HttpConnectTimeoutException("late")))
                .contains("no node answers at n:1");
    }

    @Test
    void allDeadLettersAreRetriedInSmallRequestsThatEachEndInTime() throws Exception {
        var retried = new ArrayList<List<String>>();
        var node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/admin/v1/worker/dlq", exchange -> {
            var answer = exchange.getRequestMethod().equals("GET")
                    ? page(exchange.getRequestURI().getQuery())
                    : retry(new String(exchange.getRequestBody().readAllBytes(), UTF_8), retried);
            var bytes = answer.getBytes(UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        node.start();
        try {
            var admin = "127.0.0.1:" + node.getAddress().getPort();
            var answer = sluice("worker", "dlq", "retry", "--all", "--admin", admin);
            assertThat(answer.code()).as("one stays").isEqualTo(1);
            assertThat(answer.out()).contains("published again: 1.0.0 ", "published again: 1.0.119 ", "stays: 1.0.60");
            assertThat(retried).allMatch(ids -> ids.size() <= 50);
            assertThat(retried.stream().flatMap(List::stream)).hasSize(120).doesNotHaveDuplicates();
            var json = sluice("worker", "dlq", "retry", "--all", "--json", "--admin", admin);
            assertThat(BsonDocument.parse(json.out()).getArray("retried"))
                    .as("one document")
                    .hasSize(119);
        } finally {
            node.stop(0);
        }
    }

    /** 120 letters in all. */
    private static String page(String query) {
        var after = Integer.parseInt(query.replaceFirst(".*after=(\\d+).*", "$1"));
        var limit = Integer.parseInt(query.replaceFirst(".*limit=(\\d+).*", "$1"));
        var end = Math.min(120, after + limit);
        var letters = IntStream.range(after, end)
                .mapToObj(i -> "{\"id\": \"1.0." + i + "\"}")
                .collect(Collectors.joining(","));
        return "{\"deadLetters\": [" + letters + "], \"next\": " + (end == 120 ? "null" : end) + "}";
    }

    private static String retry(String body, List<List<String>> retried) {
        var ids = BsonDocument.parse(body).getArray("ids").stream()
                .map(id -> id.asString().getValue())
                .toList();
        retried.add(ids);
        var failed = ids.contains("1.0.60") ? "{\"id\": \"1.0.60\", \"reason\": \"full\"}" : "";
        var done = ids.stream()
                .filter(id -> !id.equals("1.0.60"))
                .map(id -> "{\"id\": \"" + id + "\", \"sequence\": 7}")
                .collect(Collectors.joining(","));
        return "{\"retried\": [" + done + "], \"failed\": [" + failed + "]}";
    }

    @Test
    void checkNamesWhatTheRoleNeeds() throws Exception {
        assertThat(check("").err())
                .contains(
                        "worker.stream: must be set for --role worker",
                        "worker.partitions: must be set for --role worker",
                        "worker.handler.type: must be set for --role worker",
                        "3 problems");
        var whole = check("""
                worker:
                  stream: ORDERS
                  partitions: {hashed: {prefix: orders}}
                  handler: {type: nats, subject: 'out.{partition}'}
                """);
        assertThat(whole.err()).isEmpty();
        assertThat(whole.code()).isZero();
    }

    @Test
    void thePartitionsAndTheWorkerAreShownToPeople() {
        var worker = BsonDocument.parse("""
                {"group": "orders", "worker": "w3", "stream": "ORDERS", "handler": "http", "state": "running",
                 "consumers": ["orders-w3-a-1"], "subjects": 2, "queued": 1, "lag": 12, "handled": 7, "retried": 1,
                 "deadLettered": 0, "redeliveries": 2, "handoffs": 0, "problems": ["consumer update refused: 10026"],
                 "partitions": []}
                """);
        assertThat(WorkerStatusText.of(worker))
                .contains(
                        "worker w3 of orders on stream ORDERS to http: running; 0 partitions, 2 subjects, 1 queued, lag 12",
                        "7 handled, 1 retried, 0 dead letters, 2 redeliveries, 0 handed over",
                        "consumer orders-w3-a-1",
                        "  ! consumer update refused: 10026");
    }
}
