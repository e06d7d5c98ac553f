package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.cli.SluiceRun;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice worker import} as {@code docs/worker.md} shows it, on a real NATS server. */
@Timeout(120)
class WorkerImportTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final String NAMES = "billing-{partition}";

    @TempDir
    Path folder;

    private NatsServer server;
    private Connection nats;
    private JetStreamManagement management;
    private String page;

    @BeforeEach
    void start() throws Exception {
        server = NatsServer.startPrivate(NatsLine.NEWEST);
        nats = Nats.connect(server.url());
        management = nats.jetStreamManagement();
        var whole = Files.readString(Path.of("..", "docs", "worker.md"));
        page = whole.substring(
                whole.indexOf("\n## Taking over from another program"), whole.indexOf("\n## Gaps, poison"));
        management.addStream(StreamConfiguration.builder()
                .name("ORDERS")
                .subjects("orders.*")
                .storageType(StorageType.Memory)
                .build());
        consumer("eu");
        consumer("us");
        publish("eu", 5);
        publish("us", 2);
        acknowledge("eu", 3);
        acknowledge("us", 2);
    }

    @AfterEach
    void stop() throws Exception {
        nats.close();
        server.close();
    }

    private void consumer(String region) throws Exception {
        management.createConsumer(
                "ORDERS",
                ConsumerConfiguration.builder()
                        .durable("billing-" + region)
                        .filterSubject("orders." + region)
                        .build());
    }

    private void publish(String region, int count) throws Exception {
        for (int i = 1; i <= count; i++) {
            nats.jetStream().publish("orders." + region, (region + i).getBytes(StandardCharsets.UTF_8));
        }
    }

    private void acknowledge(String region, int count) throws Exception {
        var pull = nats.jetStream()
                .subscribe("orders." + region, PullSubscribeOptions.fastBind("ORDERS", "billing-" + region));
        for (Message message : pull.fetch(count, TIMEOUT)) {
            message.ackSync(TIMEOUT);
        }
        pull.unsubscribe();
    }

    /** The configuration of the page, for this server and receiver. */
    private String yaml(String receiver) {
        var block = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        return "puller: {grpc: {address: ':0'}, health: {port: 0}, metrics: {port: 0}}\n"
                + block.group(1)
                        .replace("nats://127.0.0.1:4222", server.url())
                        .replace("http://127.0.0.1:9000/orders", receiver);
    }

    private String file(String yaml) throws Exception {
        return Files.writeString(folder.resolve("sluice.yaml"), yaml).toString();
    }

    private String sluice(String... arguments) {
        return SluiceRun.of(arguments);
    }

    @Test
    void workersGoOnWhereTheOtherProgramStoppedAsThePageSays() throws Exception {
        try (var target = new HttpTarget()) {
            var yaml = yaml(target.url());
            var file = file(yaml);
            var shown = Pattern.compile("```console\n\\$ (.*--dry-run)\n(.*?)```", Pattern.DOTALL)
                    .matcher(page);
            assertThat(shown.find()).isTrue();
            assertThat(sluice(words(shown.group(1), file))).isEqualTo(shown.group(2));
            assertThat(nats.keyValueManagement().getBucketNames())
                    .as("a dry run writes nothing")
                    .isEmpty();
            var real = Pattern.compile("\\$ (sluice worker import [^\n]*partition}')\n")
                    .matcher(page);
            assertThat(real.find()).isTrue();
            assertThat(sluice(words(real.group(1), file)))
                    .contains("imported: start the workers of orders", "nats consumer rm ORDERS NAME");
            publish("asia", 1);
            try (var node = Node.start(
                    ((Reading.Accepted) ConfigFile.parse(yaml, Map.of())).config(), EnumSet.of(Role.WORKER), "test")) {
                var end = System.nanoTime() + TIMEOUT.toNanos();
                while (target.accepted.size() < 3 && System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(20_000_000);
                }
                assertThat(target.accepted)
                        .containsExactlyInAnyOrder("eu4", "eu5", "asia1")
                        .containsSubsequence("eu4", "eu5");
            }
        }
        assertThat(sluice("worker", "import", "-c", file(yaml("http://127.0.0.1:1")), "--consumers", NAMES))
                .contains("nothing is written:", "! group orders has positions already");
    }

    private static String[] words(String line, String file) {
        assertThat(line).startsWith("sluice ");
        return Arrays.stream(line.split(" "))
                .skip(1)
                .map(word -> word.equals("sluice.yaml") ? file : word.replace("'", ""))
                .toArray(String[]::new);
    }

    @Test
    void refusalsSayWhatToDo() throws Exception {
        var file = file(yaml("http://127.0.0.1:1"));
        assertThat(sluice("worker", "import", "-c", file, "--consumers", "shop-{partition}"))
                .contains("nothing is written:", "! no consumer of stream ORDERS is named like shop-{partition}");
        assertThat(sluice("worker", "import", "-c", file, "--consumers", "billing-*"))
                .contains("need {partition} once");
        var pull = nats.jetStream().subscribe("orders.eu", PullSubscribeOptions.fastBind("ORDERS", "billing-eu"));
        pull.pullExpiresIn(10, TIMEOUT);
        var used =
                BsonDocument.parse(sluice("worker", "import", "-c", file, "--consumers", NAMES, "--dry-run", "--json"));
        assertThat(used.getBoolean("imported").getValue()).isFalse();
        assertThat(used.getArray("partitions")).hasSize(2);
        assertThat(used.getArray("problems").getFirst().asString().getValue())
                .isEqualTo("a program uses consumers billing-eu: stop it first");
        var other = file(yaml("http://127.0.0.1:1").replace("ORDERS\n", "NONE\n"));
        assertThat(sluice("worker", "import", "-c", other, "--consumers", NAMES))
                .contains("cannot use the stream NONE (worker.stream)");
        assertThat(sluice("worker", "import", "-c", file("worker: {stream: ORDERS}"), "--consumers", NAMES))
                .contains("set worker.stream, worker.consumer_prefix and worker.partitions");
        assertThat(List.of(sluice("worker", "import", "--help").split("\n")))
                .anyMatch(line -> line.contains("For example"));
    }
}
