package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.DeliveryReply;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.model.Subscription;
import dev.sluice.outbox.table.Dead;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Row;
import dev.sluice.outbox.table.Slice;
import dev.sluice.rocksdb.RocksDeadLetters;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.rocksdb.RocksSubscriptions;
import dev.sluice.run.Loops;
import dev.sluice.stream.ConsumersView;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.Document;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What v0.1-base wrote still opens, and what it sent is still understood. See the samples' README. */
@Timeout(120)
class BaseSamplesTest {
    private static final Path SAMPLES = Path.of("src/test/resources/samples/v0.1-base");

    @TempDir
    Path directory;

    private Path unpacked() throws Exception {
        int exit = new ProcessBuilder(
                        "tar", "-xzf", SAMPLES.resolve("data.tar.gz").toString(), "-C", directory.toString())
                .inheritIO()
                .start()
                .waitFor();
        assertThat(exit).isZero();
        return directory.resolve("data");
    }

    @Test
    void theStoresOpenWithAllTheyHeld() throws Exception {
        Path data = unpacked();
        long identity;
        try (var log = new RocksEventLog(data.resolve("events"), "shop", RocksSettings.DEFAULT)) {
            assertThat(log.state().events()).isEqualTo(16);
            assertThat(log.state().checkpoint()).isNotNull();
            identity = log.state().identity();
            assertThat(identity).as("0.1 wrote none").isNotZero();
        }
        try (var log = new RocksEventLog(data.resolve("events"), "shop", RocksSettings.DEFAULT)) {
            assertThat(log.state().identity()).isEqualTo(identity);
        }
        try (var store = new RocksSubscriptions(data.resolve("streamer/subscriptions"))) {
            List<String> ids = new ArrayList<>();
            store.load(subscription -> ids.add(subscription.id()));
            assertThat(ids)
                    .containsExactlyInAnyOrder(
                            "open-over-grpc", "open-over-http", "open-over-nats", "open-away", "one-document");
            assertThat(store.gateways()).hasSize(4);
        }
        try (var letters = new RocksDeadLetters(data.resolve("streamer/dead-letters"))) {
            var letter = letters.list("", 10).getFirst();
            assertThat(letter.reason()).isEqualTo("poison");
            assertThat(letter.subscriptionId()).isEqualTo("open-over-grpc");
            assertThat(letters.count()).isEqualTo(1);
        }
    }

    /** The gateway that never answered gets all it is owed, from positions that 0.1 saved. */
    @Test
    void aStreamerGoesOnFromTheSavedPositions() throws Exception {
        Path data = unpacked();
        forgetOldAddresses(data);
        Queue<ReceivedEvent> got = new ConcurrentLinkedQueue<>();
        try (var mongo = DevMongo.builder().start();
                var log = new RocksEventLog(data.resolve("events"), "shop", RocksSettings.DEFAULT)) {
            var tail = new LiveTail(log.state().head().position(), 64, 1 << 20);
            var feed = new LocalLogFeed(
                    Map.of("shop", new LogReader(log, tail)), Duration.ofHours(1), new ConsumersView(0));
            var config = new StreamerSetup(data, mongo)
                    .routing("num_partitions: 2")
                    .sections("reliability: {shutdown: {flush_timeout: 100ms}}\n")
                    .config();
            try (var role = StreamerRole.start(config, feed, new SimpleMeterRegistry(), new Loops());
                    var gateway = Gateway.builder("away")
                            .streamer("127.0.0.1:" + role.port())
                            .start()) {
                gateway.subscribe(
                        Subscription.of(
                                "open-away", "away", "", "orders", "{\"status\": {\"$in\": [\"open\", \"poison\"]}}"),
                        got::add);
                await(
                        "all that it is owed",
                        () -> got.stream()
                                .map(ReceivedEvent::documentId)
                                .toList()
                                .containsAll(owed()));
            }
        }
    }

    /** Some other server may listen now where the samples' gateways did. */
    private static void forgetOldAddresses(Path data) {
        try (var store = new RocksSubscriptions(data.resolve("streamer/subscriptions"))) {
            store.gateways()
                    .forEach(gateway ->
                            store.saveGateway(new GatewayAddress(gateway.id(), Protocol.HTTP, "http://127.0.0.1:1")));
        }
    }

    private static List<String> owed() {
        return Stream.concat(IntStream.range(0, 12).mapToObj(k -> "order-" + k), Stream.of("order-last"))
                .toList();
    }

    @Test
    void theOutboxTablesAreReadAsTheyWere() throws Exception {
        Files.copy(SAMPLES.resolve("outbox.mv.db"), directory.resolve("outbox.mv.db"));
        var source = new JdbcDataSource();
        source.setURL("jdbc:h2:" + directory.resolve("outbox"));
        var table = new OutboxTable(source, Keeping.KEEP);
        List<Long> pending = new ArrayList<>();
        for (int partition = 0; partition < 6; partition++) {
            table.fetch(new Slice(partition, 6, 6), 100, List.of()).stream()
                    .map(Row::id)
                    .forEach(pending::add);
        }
        assertThat(pending).containsExactlyInAnyOrder(7L, 8L, 9L, 10L);
        assertThat(table.dead(10, 0)).extracting(Dead::id).containsExactly(1L, 2L, 3L);
        assertThat(table.owners()).hasSize(6);
    }

    @Test
    void everyMessageIsUnderstoodToTheLastField() throws Exception {
        List<String> misunderstood = new ArrayList<>();
        int read = 0;
        for (Path file : wire(".binpb")) {
            String name = file.getFileName().toString();
            if (!name.startsWith("descriptors")) {
                byte[] bytes = Files.readAllBytes(file);
                Descriptor type = message(name.substring(name.indexOf('.') + 1, name.lastIndexOf('.')));
                DynamicMessage message = DynamicMessage.parseFrom(type, bytes);
                read++;
                if (hasUnknownFields(message)) {
                    misunderstood.add(name);
                }
            }
        }
        assertThat(misunderstood).isEmpty();
        assertThat(read).isGreaterThan(40);
    }

    private static boolean hasUnknownFields(Message message) {
        return !message.getUnknownFields().asMap().isEmpty()
                || message.getAllFields().values().stream()
                        .flatMap(value -> value instanceof List<?> list ? list.stream() : Stream.of(value))
                        .anyMatch(value -> value instanceof Message nested && hasUnknownFields(nested));
    }

    private static Descriptor message(String fullName) {
        return files().flatMap(file -> file.getMessageTypes().stream())
                .filter(type -> type.getFullName().equals(fullName))
                .findFirst()
                .orElseThrow();
    }

    private static Stream<FileDescriptor> files() {
        return Stream.of(
                SubscribeRequest.getDescriptor().getFile(),
                EventBatch.getDescriptor().getFile());
    }

    @Test
    void theWireOnlyGrew() throws Exception {
        FileDescriptorSet before =
                FileDescriptorSet.parseFrom(Files.readAllBytes(SAMPLES.resolve("wire/descriptors.binpb")));
        Map<String, FileDescriptorProto> now = new HashMap<>();
        files().forEach(file -> now.put(file.getPackage(), file.toProto()));
        for (FileDescriptorProto old : before.getFileList()) {
            FileDescriptorProto present = now.get(old.getPackage());
            assertThat(present.getServiceList().stream().flatMap(service -> service.getMethodList().stream()))
                    .containsAll(old.getServiceList().stream()
                            .flatMap(service -> service.getMethodList().stream())
                            .toList());
            assertThat(present.getEnumTypeList()).containsAll(old.getEnumTypeList());
            for (DescriptorProto message : old.getMessageTypeList()) {
                DescriptorProto same = present.getMessageTypeList().stream()
                        .filter(each -> each.getName().equals(message.getName()))
                        .findFirst()
                        .orElseThrow();
                assertThat(same.getFieldList().stream().map(BaseSamplesTest::wireForm))
                        .containsAll(message.getFieldList().stream()
                                .map(BaseSamplesTest::wireForm)
                                .toList());
            }
        }
    }

    private static String wireForm(FieldDescriptorProto field) {
        return field.getNumber() + " " + field.getName() + " " + field.getType() + " " + field.getTypeName() + " "
                + field.getLabel();
    }

    /** The JSON over HTTP and NATS: each reply acknowledges as many events as its request has. */
    @Test
    void theRepliesOfOldGatewaysAreAcknowledgements() throws Exception {
        int replies = 0;
        for (Path file : wire(".json")) {
            String name = file.getFileName().toString();
            if (name.contains("-reply-")) {
                String request = Files.readString(file.resolveSibling(name.replace("-reply-", "-request-")));
                int events = Document.parse(request)
                        .getList("events", Document.class)
                        .size();
                BatchOutcome outcome = DeliveryReply.read(Files.readAllBytes(file), events);
                assertThat(outcome).as(name).isEqualTo(BatchOutcome.DELIVERED);
                replies++;
            }
        }
        assertThat(replies).isGreaterThan(5);
    }

    private static List<Path> wire(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(SAMPLES.resolve("wire"))) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }
}
