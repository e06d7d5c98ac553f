package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.SOON;
import static dev.sluice.server.puller.PullerSetup.await;
import static dev.sluice.server.puller.PullerSetup.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.sluice.capture.CaptureState;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.server.node.Node;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A development MongoDB with a data directory, as a process of its own: killed while it is written to, it comes back complete. */
class KeptMongoTest {
    /** Drivers wait ten seconds for a server that is away; tests need not. */
    private static final String QUICK = "&serverSelectionTimeoutMS=1000&heartbeatFrequencyMS=500";

    @TempDir
    Path folder;

    private final Queue<Integer> acknowledged = new ConcurrentLinkedQueue<>();
    private final Queue<Event> events = new ConcurrentLinkedQueue<>();

    @Test
    void afterKill9ThePullerGoesOnWithoutAGap() throws Exception {
        var port = freePort();
        var address = "mongodb://127.0.0.1:" + port + "/?replicaSet=rs0";
        try (var mongo = ChildProcess.start(devmongo(port))) {
            mongo.awaitLine("mongodb://", SOON);
            try (var node = new PullerSetup(folder.resolve("log"))
                            .backend("shop", address + QUICK)
                            .start();
                    var consumer = consumer(node);
                    var client = MongoClients.create(address + QUICK + "&retryWrites=false")) {
                await("captures", () -> capture(node).status().isHealthy());
                whileWriting(client, () -> {
                    awaitAcknowledged(50);
                    mongo.kill9();
                    var before = mongo.logPosition();
                    mongo.restart();
                    mongo.awaitLineAfter(before, "mongodb://", SOON);
                    awaitAcknowledged(acknowledged.size() + 50);
                });
                await("every acknowledged write", () -> numbers().containsAll(acknowledged));
                assertThat(consumer.marker()).isNotEmpty();
                assertThat(events).extracting(Event::getOperationType).containsOnly("insert");
                assertThat(numbers()).isSorted().doesNotHaveDuplicates();
                assertThat(capture(node).counters().gapsDetected()).isZero();
            }
        }
    }

    private ProcessSpec devmongo(int port) {
        var data = folder.resolve("mongodb").toString();
        return ProcessSpec.sluice("devmongo-kept", "devmongo", "--port", "" + port, "--data", data)
                .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m");
    }

    private EventConsumer consumer(Node node) {
        return EventConsumer.options()
                .address("127.0.0.1:" + node.puller().port())
                .json()
                .start(ConsumerOptions.Start.OLDEST)
                .start(events::add);
    }

    private static CaptureState capture(Node node) {
        return node.puller().backends().getFirst().capture();
    }

    /** What is done beside the writer. */
    private interface Beside {
        void run() throws Exception;
    }

    private void whileWriting(MongoClient client, Beside beside) throws Exception {
        var stop = new CountDownLatch(1);
        var writer = Thread.ofVirtual().start(() -> write(client, stop));
        try {
            beside.run();
        } finally {
            stop.countDown();
            writer.join();
        }
    }

    /** Counts up; what fails may have been written or not, and counts as neither. */
    private void write(MongoClient client, CountDownLatch stop) {
        var orders = client.getDatabase("shop").getCollection("orders");
        for (var n = 0; stop.getCount() > 0; n++) {
            try {
                orders.insertOne(new Document("_id", Integer.toString(n)));
                acknowledged.add(n);
            } catch (MongoException away) {
                // the next number
            }
        }
    }

    private void awaitAcknowledged(int count) throws InterruptedException {
        await(count + " writes", () -> acknowledged.size() >= count);
    }

    private List<Integer> numbers() {
        return events.stream()
                .filter(event -> !event.getDocumentId().isEmpty())
                .map(event -> Integer.parseInt(event.getDocumentId()))
                .toList();
    }
}
