package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static dev.sluice.server.puller.PullerSetup.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClients;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.client.MarkerStore;
import dev.sluice.client.MemoryMarkerStore;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.etcd.EtcdAccess;
import dev.sluice.etcd.EtcdCheckpoints;
import dev.sluice.log.DamagedLogException;
import dev.sluice.log.LogState;
import dev.sluice.model.ProgressMarker;
import dev.sluice.server.node.Node;
import dev.sluice.testkit.servers.EtcdServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults of what stands around a running Puller: the mirror, the disk, its consumers. */
@Order(4)
class PullerFaultsTest {
    @TempDir
    Path data;

    @Test
    void captureGoesOnWhileEtcdIsAwayAndALostDiskIsRefilledFromTheMirror() throws Exception {
        try (var etcd = EtcdServer.startPrivate();
                var mongo = DevMongo.builder().start();
                var mirror = new EtcdCheckpoints(EtcdAccess.to(etcd.url()), "/sluice/", Duration.ofSeconds(2))) {
            var setup = new PullerSetup(data)
                    .backend("shop", mongo)
                    .puller("checkpoint: {backend: etcd, interval: 100ms}\n")
                    .sections("cluster: {store: etcd, endpoints: ['" + etcd.url() + "']}\n");
            try (var role = setup.start()) {
                await("the log has begun", () -> onlyLog(role).started());
                write(mongo, 1);
                await("mirrored", () -> onlyLog(role).events() == 1 && isMirrored(role, mirror));

                etcd.kill();
                write(mongo, 2);
                assertThat(received(role, 2)).containsExactly("1", "2");
                await("the mirror's failure is counted", () -> mirrorErrors(role) > 0);

                etcd.start();
                write(mongo, 3);
                await("mirrored again", () -> onlyLog(role).events() == 3 && isMirrored(role, mirror));
            }
            deleteAll(data);
            write(mongo, 4);
            try (var role = setup.start()) {
                write(mongo, 5);
                assertThat(received(role, 5)).containsExactly("1", "2", "3", "4", "5");
                await("its own place beside the other's", () -> isMirrored(role, mirror));
            }
            assertThat(mirror.list()).as("no Puller overwrites another's place").hasSize(2);
        }
    }

    private static LogState onlyLog(Node role) {
        return role.puller().backends().getFirst().log();
    }

    private static boolean isMirrored(Node role, EtcdCheckpoints mirror) {
        Checkpoint local = onlyLog(role).checkpoint();
        try {
            return local != null && mirror.list().containsValue(local);
        } catch (CheckpointException etcdIsComingBack) {
            return false;
        }
    }

    private static double mirrorErrors(Node role) {
        return get(role.http().metricsPort(), "/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("sluice_puller_checkpoint_errors_total{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private static void deleteAll(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aDamagedLogFailsItsBackendAloneAndConsumersKeepTheirPlaceInIt() throws Exception {
        try (var a = DevMongo.builder().start();
                var b = DevMongo.builder().start()) {
            var setup = new PullerSetup(data).backend("a", a).backend("b", b).backendOptions("start: earliest");
            var marker = new MemoryMarkerStore();
            try (var role = setup.start()) {
                write(a, 1);
                write(b, 2);
                assertThat(received(role, marker, 2)).containsExactlyInAnyOrder("1", "2");
            }
            var before = ProgressMarker.decode(marker.load().orElseThrow());
            Files.move(data.resolve("a").resolve("CURRENT"), data.resolve("CURRENT-of-a"));
            try (var role = setup.start()) {
                var status = get(role.http().adminPort(), "/admin/v1/status").body();
                assertThat(status)
                        .contains("\"failed\"")
                        .contains(data.resolve("a").toString())
                        .contains("CURRENT is missing");
                assertThat(get(role.http().adminPort(), "/health").statusCode()).isEqualTo(503);
                assertThat(get(role.http().metricsPort(), "/metrics").body())
                        .contains("sluice_puller_backend_healthy{backend=\"a\"} 0");
                write(a, 3);
                write(b, 4);
                assertThat(received(role, marker, 1)).as("b goes on").containsExactly("4");
            }
            var after = ProgressMarker.decode(marker.load().orElseThrow());
            assertThat(after.position("a")).isEqualTo(before.position("a")).isPresent();
            assertThat(after.position("b")).isNotEqualTo(before.position("b"));

            Files.move(data.resolve("CURRENT-of-a"), data.resolve("a").resolve("CURRENT"));
            try (var role = setup.start()) {
                assertThat(received(role, marker, 1))
                        .as("what a missed meanwhile, and nothing twice")
                        .containsExactly("3");
            }
        }
    }

    @Test
    void whenEveryLogIsDamagedTheStartIsRefusedByName() throws Exception {
        try (var mongo = DevMongo.builder().start()) {
            var setup = new PullerSetup(data).backend("a", mongo);
            setup.start().close();
            Files.delete(data.resolve("a").resolve("CURRENT"));
            assertThatThrownBy(setup::start)
                    .isInstanceOf(DamagedLogException.class)
                    .hasMessageContaining(data.resolve("a").toString())
                    .hasMessageContaining("CURRENT");

            Files.move(data.resolve("a"), data.resolve("a-damaged"));
            setup.start().close();
        }
    }

    @Test
    void atTheDisksFloorCaptureWaitsSaysSoAndLosesNothing() throws Exception {
        try (var mongo = DevMongo.builder().start()) {
            var floor = "buffer: {path: 'DATA', min_free: %s}\n";
            var full = new PullerSetup(data)
                    .backend("shop", mongo)
                    .backendOptions("start: earliest")
                    .puller(floor.formatted("1000TiB"));
            write(mongo, 1);
            try (var role = full.start()) {
                await(
                        "health says it waits",
                        () -> get(role.http().adminPort(), "/admin/v1/status")
                                .body()
                                .contains("waiting_for_space"));
                write(mongo, 2);
                assertThat(onlyLog(role).events()).isZero();
                assertThat(get(role.http().adminPort(), "/health").statusCode()).isEqualTo(503);
            }
            var roomy = new PullerSetup(data)
                    .backend("shop", mongo)
                    .backendOptions("start: earliest")
                    .puller(floor.formatted("1MiB"));
            try (var role = roomy.start()) {
                assertThat(received(role, 2)).containsExactly("1", "2");
            }
        }
    }

    @Test
    void aStalledConsumerHoldsUpNobodyAndCatchesUpCompletely() throws Exception {
        int events = 120_000;
        var release = new CountDownLatch(1);
        var stalled = new InOrder();
        var lively = new InOrder();
        try (var mongo = DevMongo.builder().start();
                var role = new PullerSetup(data)
                        .backend("shop", mongo)
                        .backendOptions("start: earliest")
                        .start();
                var slow = consumer(role).startBatches((batch, marker) -> {
                    release.await();
                    batch.forEach(event -> stalled.take(event.getDocumentId()));
                });
                var fast = consumer(role)
                        .startBatches((batch, marker) -> batch.forEach(event -> lively.take(event.getDocumentId())))) {
            writeMany(mongo, events);
            await("the lively one has all", () -> lively.count.get() == events);
            assertThat(stalled.count).hasValue(0);
            release.countDown();
            await("the stalled one has all", () -> stalled.count.get() == events);
            assertThat(List.of(lively.outOfOrder.get(), stalled.outOfOrder.get()))
                    .containsOnly(0);
            assertThat(slow.marker()).isNotEmpty();
            assertThat(fast.marker()).isNotEmpty();
        }
    }

    /** Counts what comes, and what does not come in its turn. */
    private static final class InOrder {
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicInteger outOfOrder = new AtomicInteger();

        void take(String id) {
            if (Integer.parseInt(id) != count.getAndIncrement()) {
                outOfOrder.incrementAndGet();
            }
        }
    }

    private static void writeMany(DevMongo mongo, int events) {
        int batch = 2_000;
        try (var client = MongoClients.create(mongo.connectionString())) {
            var orders = client.getDatabase("shop").getCollection("orders");
            for (int from = 0; from < events; from += batch) {
                orders.insertMany(IntStream.range(from, from + batch)
                        .mapToObj(n -> new Document("_id", Integer.toString(n)))
                        .toList());
            }
        }
    }

    private static ConsumerOptions consumer(Node role) {
        return EventConsumer.options()
                .address("127.0.0.1:" + role.puller().port())
                .start(ConsumerOptions.Start.OLDEST);
    }

    private static void write(DevMongo mongo, int id) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", Integer.toString(id)));
        }
    }

    private static List<String> received(Node role, int events) throws InterruptedException {
        return received(role, new MemoryMarkerStore(), events);
    }

    private static List<String> received(Node role, MarkerStore markers, int events) throws InterruptedException {
        var received = new CopyOnWriteArrayList<String>();
        try (var consumer = consumer(role).markers(markers).start(event -> received.add(event.getDocumentId()))) {
            await(events + " events, not " + received, () -> received.size() >= events);
            assertThat(consumer.marker()).isNotEmpty();
        }
        return received;
    }
}
