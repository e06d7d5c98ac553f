package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.mongodb.client.MongoClients;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.RejectedException;
import dev.sluice.lane.DeadLetter;
import dev.sluice.model.Subscription;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.testkit.servers.FreePorts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The commands that operate a Streamer, against a running one. */
@Timeout(120)
class OperateStreamerTest {
    /** What clients say of a port where nobody listens. */
    private static final Pattern FAILED = Pattern.compile(".*(?i:connect|refused)");

    @TempDir
    Path data;

    private DevMongo mongo;
    private Node node;

    @BeforeEach
    void start() throws Exception {
        mongo = DevMongo.builder().start();
        node = start(1);
    }

    private Node start(int partitions) throws Exception {
        var yaml = """
                storage: {backends: [{name: shop, connection: '%s', database: shop}]}
                puller:
                  grpc: {address: ':0'}
                  health: {port: 0}
                  metrics: {port: 0}
                  backends: [{name: shop}]
                  buffer: {path: '%s', min_free: 1MiB}
                routing: {grpc: {address: ':0'}, num_partitions: %d}
                """.formatted(mongo.connectionString(), data.resolve("events"), partitions);
        var config = ((Reading.Accepted) ConfigFile.parse(yaml, Map.of())).config();
        var started = Node.start(config, EnumSet.of(Role.PULLER, Role.STREAMER), "test");
        await(() -> !started.streamer().streamer().head().isEmpty());
        return started;
    }

    @AfterEach
    void stop() {
        node.close();
        mongo.close();
    }

    private record Answer(int code, String text) {}

    private Answer sluice(String... arguments) {
        var text = new StringWriter();
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--admin", "127.0.0.1:" + node.http().adminPort()));
        var writer = new PrintWriter(text, true);
        var code = Sluice.run(writer, writer, Map.of(), all.toArray(String[]::new));
        return new Answer(code, text.toString());
    }

    private static void await(BooleanSupplier reached) throws InterruptedException {
        for (var k = 0; !reached.getAsBoolean(); k++) {
            assertThat(k).as("tries within 30 s").isLessThan(1500);
            Thread.sleep(20);
        }
    }

    private void write(String id) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", id));
        }
    }

    @Test
    void subscriptionsAreAddedListedShownAndRemoved() throws Exception {
        assertThat(sluice("subscriptions", "list")).isEqualTo(new Answer(0, "no subscriptions\n"));
        assertThat(sluice(
                        "subscriptions",
                        "add",
                        "--id",
                        "eu",
                        "--collection",
                        "orders",
                        "--gateway",
                        "g",
                        "--filter",
                        "{\"region\": \"eu\"}"))
                .satisfies(answer -> assertThat(answer.code()).isZero())
                .satisfies(answer -> assertThat(answer.text()).startsWith("registered: eu, from ey"));
        assertThat(sluice(
                        "subscriptions", "add", "--id", "bad", "--collection", "orders", "--filter", "{\"$where\": 1}"))
                .satisfies(answer -> assertThat(answer.code()).isEqualTo(1))
                .satisfies(answer -> assertThat(answer.text()).contains("400", "$where"));
        assertThat(sluice(
                        "subscriptions",
                        "add",
                        "--id",
                        "moves",
                        "--collection",
                        "orders",
                        "--gateway",
                        "g",
                        "--failover"))
                .as("issue 12, row 31")
                .satisfies(answer -> assertThat(answer.code()).isEqualTo(1))
                .satisfies(answer -> assertThat(answer.text())
                        .contains("failover does nothing under routing.mode: direct", "consistent_hash or broadcast"));
        assertThat(sluice("subscriptions", "list", "--gateway", "g").text())
                .containsPattern("eu +g +- +orders +normal +\\{\"region\": \"eu\"}");
        assertThat(BsonDocument.parse(sluice("subscriptions", "list", "--json").text())
                        .getArray("subscriptions"))
                .hasSize(1);
        await(() -> sluice("subscriptions", "show", "eu").text().contains("nothing waits"));
        assertThat(sluice("subscriptions", "show", "eu").text())
                .contains("delivered to  gateway g (not registered)", "filter        {\"region\": \"eu\"}")
                .endsWith("\n1 of 1 partitions: at the tail, nothing waits\n");
        assertThat(sluice("subscriptions", "show", "e/u").text()).contains("404", "no such subscription");
        assertThat(sluice("subscriptions", "remove", "eu")).isEqualTo(new Answer(0, "removed: eu\n"));
        assertThat(sluice("subscriptions", "remove", "eu").code()).isEqualTo(1);
        assertThat(sluice("gateways", "remove", "nobody").text()).contains("404", "no such gateway");
        assertThat(sluice("subscriptions").code()).isEqualTo(2);
    }

    @Test
    void deadLettersAreListedShownRetriedAndDeleted() throws Exception {
        assertThat(sluice("dlq", "list")).isEqualTo(new Answer(0, "no dead letters\n"));
        var refuses = new AtomicBoolean(true);
        var taken = new AtomicInteger();
        try (var gateway = Gateway.builder("g")
                .streamer("127.0.0.1:" + node.streamer().port())
                .start()) {
            gateway.subscribe(Subscription.of("all", "g", "", "orders", "{}"), event -> {
                if (refuses.get()) {
                    throw new RejectedException("too sour");
                }
                taken.incrementAndGet();
            });
            await(() -> sluice("gateways", "list").text().contains("up"));
            assertThat(sluice("gateways", "list").text()).containsPattern("g +up +\\d+ s +http +http://127");
            write("a");
            write("b");
            await(() -> node.streamer().deadLetters().count() == 2);
            assertThat(sluice("dlq", "list").text()).contains("too sour", "2 in all");
            assertThat(sluice("status").text()).contains("2 dead letters", "PARTITION", "GATEWAY");
            var ids = BsonDocument.parse(sluice("dlq", "list", "--json").text()).getArray("deadLetters").stream()
                    .map(letter -> letter.asDocument().getString("id").getValue())
                    .toList();
            assertThat(sluice("dlq", "show", ids.getFirst()).text()).contains("too sour", "\"documentId\": \"a\"");
            assertThat(sluice("dlq", "retry").code()).isEqualTo(2);
            assertThat(sluice("dlq", "retry", "--all", "--dry-run").text())
                    .isEqualTo("would be sent: " + ids.get(0) + "\nwould be sent: " + ids.get(1) + "\n");
            assertThat(node.streamer().deadLetters().count()).isEqualTo(2);
            refuses.set(false);
            assertThat(sluice("dlq", "retry", ids.get(1)).text()).isEqualTo("goes out again: " + ids.get(1) + "\n");
            await(() -> taken.get() == 1 && node.streamer().deadLetters().count() == 1);
            assertThat(sluice("dlq", "retry", "unknown").code()).isEqualTo(1);
            assertThat(sluice("dlq", "delete", ids.getFirst()))
                    .isEqualTo(new Answer(0, "deleted: " + ids.getFirst() + "\n"));
            assertThat(sluice("dlq", "delete", ids.getFirst()).text()).contains("404", "no such dead letter");
            assertThat(sluice("dlq", "list")).isEqualTo(new Answer(0, "no dead letters\n"));
            aLetterWithoutJsonIsShownAndRetried();
        }
    }

    /** Its document is BinData of subtype 2 with a wrong inner length, kept as bytes: no gateway can be sent it. */
    private void aLetterWithoutJsonIsShownAndRetried() throws Exception {
        var entry = """
                {"id":"1-1-000000000000000a","type":"insert","tenant":"","collection":"orders","documentId":"b",\
                "document":{"$binary":{"base64":"FQAAAAViAAgAAAACZAAAAAcAAAAA","subType":"00"}},\
                "updateDescription":null,"timestamp":1,"lookup":false}""";
        node.streamer()
                .deadLetters()
                .store(List.of(new DeadLetter(
                        "raw",
                        "g",
                        "all",
                        "1-1-000000000000000a",
                        EventType.INSERT,
                        0,
                        entry.getBytes(StandardCharsets.UTF_8),
                        "cannot be written as JSON",
                        Instant.now(),
                        1,
                        List.of(),
                        null)));
        assertThat(sluice("dlq", "list").text()).contains("cannot be written as JSON");
        assertThat(sluice("dlq", "show", "raw").text()).contains("FQAAAAViAAgAAAACZAAAAAcAAAAA");
        assertThat(sluice("dlq", "retry", "raw").text()).isEqualTo("goes out again: raw\n");
        await(() -> node.streamer().deadLetters().find("raw").orElseThrow().history().stream()
                .anyMatch(line -> line.contains("cannot be written as JSON")));
    }

    @Test
    void resyncIsSentToThoseThatAreNamed() throws Exception {
        var told = new ConcurrentLinkedQueue<String>();
        try (var gateway = Gateway.builder("g")
                .streamer("127.0.0.1:" + node.streamer().port())
                .start()) {
            for (var id : List.of("one", "two")) {
                gateway.subscribe(
                        Subscription.of(id, "g", "", "orders", "{}"),
                        event -> told.add(id + " " + event.type().text()));
            }
            assertThat(sluice("resync", "--subscription", "one"))
                    .isEqualTo(new Answer(0, "subscriptions that are sent RESYNC: 1\n"));
            await(() -> told.size() == 1);
            assertThat(sluice("resync", "--gateway", "g", "--json").text()).contains("\"subscriptions\": 2");
            await(() -> told.size() == 3);
            assertThat(sluice("resync", "--all").code()).isZero();
            await(() -> told.size() == 5);
            assertThat(told)
                    .containsExactlyInAnyOrder("one resync", "one resync", "two resync", "one resync", "two resync");
        }
        assertThat(sluice("resync", "--subscription", "none"))
                .satisfies(answer -> assertThat(answer.code()).isEqualTo(1))
                .satisfies(answer -> assertThat(answer.text()).contains("there is no subscription \"none\""));
        assertThat(sluice("resync").code()).isEqualTo(2);
        assertThat(sluice("resync", "--all", "--gateway", "g").code()).isEqualTo(2);
    }

    @Test
    void aGatewayThatFailsSaysWhy() throws Exception {
        var address = "http://127.0.0.1:" + FreePorts.take();
        node.streamer().gateways().register(new GatewayAddress("g", Protocol.HTTP, address));
        assertThat(sluice("subscriptions", "add", "--id", "all", "--collection", "orders", "--gateway", "g")
                        .code())
                .isZero();
        assertThat(sluice("gateways", "list", "--json").text()).contains("\"lastError\": null");
        write("a");
        await(() -> FAILED.matcher(sluice("gateways", "list").text()).find());
        assertThat(sluice("status").text()).containsPattern("! g: " + FAILED);
        assertThat(sluice("subscriptions", "show", "all").text())
                .containsPattern("PARTITION +LOG +GROUP +ACKED +READ +TAIL +BEHIND +BATCH +RESYNC +WHY IT WAITS\n"
                        + "0 +shop +main +\\d+-\\d+ +\\d+-\\d+ +\\d+-\\d+ +1 event +(retry|in flight) +- +"
                        + "the (last attempt failed: " + FAILED + "|breaker of gateway g is open)")
                .doesNotContain("nothing waits");
        assertThat(sluice("subscriptions", "show", "all", "--json").text())
                .contains("\"group\": \"main\"", "\"eventsBehind\": 1", "\"atRest\": false");
        assertThat(sluice("status", "--json").text()).containsPattern("\"lastError\": \"" + FAILED);
    }

    @Test
    void partitionsAreShownAndResized() throws Exception {
        assertThat(sluice("partitions").text())
                .containsPattern("0 +healthy")
                .containsPattern("1 in all, generation \\d+");
        long first = node.streamer().group().status().generation();
        assertThat(sluice("partitions", "resize", "300").text()).contains("1 to 256");
        assertThat(sluice("partitions", "resize", "3").text()).startsWith("decided: 3 partitions");
        await(() -> sluice("partitions").text().contains("3 in all, generation " + (first + 1) + '\n'));
        await(() -> node.streamer().streamer().status().partitions().size() == 3);
        assertThatAnotherNumberInTheFileIsSaid();
    }

    /** Issue 12, row 31. */
    private void assertThatAnotherNumberInTheFileIsSaid() throws Exception {
        node.close();
        var logger = (Logger) LoggerFactory.getLogger("dev.sluice.streamer");
        var logged = new ListAppender<ILoggingEvent>();
        logged.start();
        logger.setLevel(Level.INFO); // whatever the tests before this one set
        logger.addAppender(logged);
        try {
            node = start(8);
        } finally {
            logger.detachAppender(logged);
            logger.setLevel(null);
        }
        assertThat(logged.list)
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.startsWith("routing.num_partitions")) // other tests' streamers log, too
                .containsExactly(
                        "routing.num_partitions is 8, but there are 3 partitions: the key counts at the first start"
                                + " only; write 3 there, or change the number with: sluice partitions resize 8");
        assertThat(sluice("partitions").text()).contains("3 in all", "sluice partitions resize 8\n");
    }
}
