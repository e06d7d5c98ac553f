package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Message;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Updates;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.GatewayHeartbeatRequest;
import dev.sluice.grpc.streamer.v1.ListRequest;
import dev.sluice.grpc.streamer.v1.RegisterGatewayRequest;
import dev.sluice.grpc.streamer.v1.RegisterRequest;
import dev.sluice.grpc.streamer.v1.Rejection;
import dev.sluice.grpc.streamer.v1.RemoveRequest;
import dev.sluice.grpc.streamer.v1.RenewRequest;
import dev.sluice.grpc.streamer.v1.StreamerServiceGrpc;
import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.model.FencingToken;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.table.Burial;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Slice;
import dev.sluice.testkit.servers.NatsServer;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.nats.client.Nats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Writes the samples; {@code dev/samples/make} puts it into a checkout of the commit that the samples are of and runs it. */
class MakeSamples {
    private final Path out = Path.of(System.getProperty("samples.out"));
    private final ConcurrentHashMap<String, AtomicInteger> numbers = new ConcurrentHashMap<>();

    @Test
    void streamer() throws Exception {
        Files.createDirectories(out.resolve("wire"));
        Path data = out.resolve("data");
        try (var mongo = DevMongo.builder().version("7.0").start();
                var client = MongoClients.create(mongo.connectionString())) {
            var orders = client.getDatabase("shop").getCollection("orders");
            var setup = new StreamerSetup(data, mongo).routing("num_partitions: 2");
            var http = httpReceiver();
            var grpc = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .addService(new Recorder())
                    .build()
                    .start();
            var nats = Nats.connect(NatsServer.shared().url());
            var dispatcher = nats.createDispatcher(message -> {
                record("nats-delivery-request", "json", message.getData());
                byte[] answer = ("{\"accepted\":" + events(message.getData()) + "}").getBytes(StandardCharsets.UTF_8);
                record("nats-delivery-reply", "json", answer);
                nats.publish(message.getReplyTo(), answer);
            });
            dispatcher.subscribe("sluice.streamer.events.over-nats");
            try (var node = setup.start()) {
                await("ready", () -> node.streamer().streamer().isReady());
                ManagedChannel streamer = Grpc.newChannelBuilder(
                                "127.0.0.1:" + node.streamer().port(), InsecureChannelCredentials.create())
                        .build();
                ManagedChannel puller = Grpc.newChannelBuilder(
                                "127.0.0.1:" + node.puller().port(), InsecureChannelCredentials.create())
                        .build();
                var control = SubscriptionServiceGrpc.newBlockingStub(streamer);
                registerGateway(control, "over-grpc", "grpc", "127.0.0.1:" + grpc.getPort());
                registerGateway(
                        control, "over-http", "http", "http://127.0.0.1:" + http.getAddress().getPort());
                registerGateway(control, "over-nats", "nats", NatsServer.shared().url());
                registerGateway(control, "away", "http", "http://127.0.0.1:1");
                register(control);
                var stream = PullerServiceGrpc.newBlockingStub(puller);
                var request = SubscribeRequest.newBuilder()
                        .setConsumerId("sample")
                        .setHeartbeats(true)
                        .addCollections("orders")
                        .build();
                record("subscribe-request", request);
                var single = stream.subscribe(request);
                record("event", single.next());
                for (int k = 0; k < 12; k++) {
                    orders.insertOne(new Document("_id", "order-" + k)
                            .append("tenant", "acme")
                            .append("status", k == 7 ? "poison" : "open")
                            .append("amount", k * 10));
                }
                orders.updateOne(new Document("_id", "order-1"), Updates.set("amount", 99));
                orders.replaceOne(
                        new Document("_id", "order-2"),
                        new Document("_id", "order-2").append("tenant", "acme").append("status", "closed"));
                orders.deleteOne(new Document("_id", "order-3"));
                for (int k = 0; k < 15; k++) {
                    record("event", single.next());
                }
                var batches = stream.subscribeBatches(request.toBuilder()
                        .setEncoding(Encoding.BSON)
                        .build());
                orders.insertOne(
                        new Document("_id", "order-last").append("tenant", "acme").append("status", "open"));
                for (int k = 0; k < 2; k++) {
                    record("event-batch", batches.next());
                }
                await("delivered by gRPC", () -> count("grpc-delivery-request") > 0);
                await("delivered by HTTP", () -> count("http-delivery-request") > 0);
                await("delivered by NATS", () -> count("nats-delivery-request") > 0);
                await("a dead letter", () -> node.streamer().deadLetters().count() > 0);
                control(control);
                streamer.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
                puller.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
            } finally {
                http.stop(0);
                grpc.shutdownNow();
                nats.close();
            }
        }
        descriptors();
    }

    private void registerGateway(
            SubscriptionServiceGrpc.SubscriptionServiceBlockingStub control, String id, String protocol, String endpoint) {
        var request = RegisterGatewayRequest.newBuilder()
                .setGatewayId(id)
                .setProtocol(protocol)
                .setEndpoint(endpoint)
                .build();
        record("register-gateway-request", request);
        record("register-gateway-reply", control.registerGateway(request));
    }

    private void register(SubscriptionServiceGrpc.SubscriptionServiceBlockingStub control) {
        var request = RegisterRequest.newBuilder();
        for (String gateway : List.of("over-grpc", "over-http", "over-nats", "away")) {
            request.addSubscriptions(Subscription.newBuilder()
                    .setId("open-" + gateway)
                    .setGatewayId(gateway)
                    .setCollection("orders")
                    .setFilter("{\"status\": {\"$in\": [\"open\", \"poison\"]}}")
                    .setTtlSeconds(3600));
        }
        request.addSubscriptions(Subscription.newBuilder()
                .setId("one-document")
                .setGatewayId("over-grpc")
                .setTenant("acme")
                .setCollection("orders")
                .setDocumentId("order-1")
                .setPriority("high")
                .setFailover(true)
                .setTransitions(true)
                .setTtlSeconds(3600));
        request.addSubscriptions(Subscription.newBuilder().setId("bad").setCollection("orders").setFilter("{\"$x\":1}"));
        record("register-request", request.build());
        record("register-reply", control.register(request.build()));
    }

    private void control(SubscriptionServiceGrpc.SubscriptionServiceBlockingStub control) {
        var renew = RenewRequest.newBuilder().setGatewayId("over-grpc").addIds("unknown").build();
        record("renew-request", renew);
        record("renew-reply", control.renew(renew));
        var list = ListRequest.newBuilder().setCollection("orders").build();
        record("list-request", list);
        record("list-reply", control.list(list));
        var beat = GatewayHeartbeatRequest.newBuilder().setGatewayId("over-grpc").build();
        record("heartbeat-request", beat);
        record("heartbeat-reply", control.gatewayHeartbeat(beat));
        var remove = RemoveRequest.newBuilder().addIds("unknown").build();
        record("remove-request", remove);
        record("remove-reply", control.remove(remove));
    }

    private final class Recorder extends StreamerServiceGrpc.StreamerServiceImplBase {
        @Override
        public void deliverEvents(EventBatch batch, StreamObserver<DeliveryAck> answers) {
            MakeSamples.this.record("grpc-delivery-request", batch);
            var ack = DeliveryAck.newBuilder();
            int rejected = 0;
            for (int k = 0; k < batch.getEventsCount(); k++) {
                if (batch.getEvents(k).getPayload().toStringUtf8().contains("poison")) {
                    ack.addRejections(Rejection.newBuilder().setIndex(k).setReason("poison"));
                    rejected++;
                }
            }
            DeliveryAck answer = ack.setAccepted(batch.getEventsCount() - rejected)
                    .setRejected(rejected)
                    .build();
            MakeSamples.this.record("grpc-delivery-reply", answer);
            answers.onNext(answer);
            answers.onCompleted();
        }
    }

    private HttpServer httpReceiver() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            byte[] answer = ("{\"accepted\":" + events(body) + "}").getBytes(StandardCharsets.UTF_8);
            if (exchange.getRequestMethod().equals("POST")) {
                record("http-delivery-request", "json", body);
                record("http-delivery-reply", "json", answer);
            }
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static int events(byte[] body) {
        return body.length == 0
                ? 0
                : Document.parse(new String(body, StandardCharsets.UTF_8))
                        .getList("events", Document.class, List.of())
                        .size();
    }

    private void descriptors() throws IOException {
        var set = FileDescriptorSet.newBuilder()
                .addFile(SubscribeRequest.getDescriptor().getFile().toProto())
                .addFile(EventBatch.getDescriptor().getFile().toProto())
                .build();
        Files.write(out.resolve("wire/descriptors.binpb"), set.toByteArray());
    }

    private int count(String name) {
        AtomicInteger number = numbers.get(name);
        return number == null ? 0 : number.get();
    }

    private void record(String name, Message message) {
        record(name, message.getDescriptorForType().getFullName() + ".binpb", message.toByteArray());
    }

    private void record(String name, String suffix, byte[] bytes) {
        int number = numbers.computeIfAbsent(name, any -> new AtomicInteger()).incrementAndGet();
        try {
            Files.write(out.resolve("wire/%s-%02d.%s".formatted(name, number, suffix)), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An H2 database: pending rows of two topics, a row sent and kept, a dead row. */
    @Test
    void outbox() throws Exception {
        Files.createDirectories(out);
        var source = new JdbcDataSource();
        source.setURL("jdbc:h2:" + out.resolve("outbox").toAbsolutePath());
        OutboxSchema.create(source);
        try (var outbox = Outbox.builder().partitions(6).build();
                Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (int k = 0; k < 10; k++) {
                outbox.append(
                        connection,
                        OutboxMessage.to(k % 2 == 0 ? "orders" : "payments")
                                .key("key-" + k % 3)
                                .type("placed")
                                .header("trace", "t-" + k)
                                .json("{\"n\":" + k + "}")
                                .build());
            }
            connection.commit();
        }
        var table = new OutboxTable(source, Keeping.KEEP);
        for (int partition = 0; partition < 6; partition++) {
            var token = new FencingToken(1, 1);
            table.claim(partition, token);
            var rows = table.fetch(new Slice(partition, 6, 6), 2, List.of());
            if (rows.size() == 2) {
                table.bury(partition, token, List.of(new Burial(rows.getFirst(), "sample: refused", 3, false)));
                table.finish(partition, token, List.of(rows.getLast().id()));
            }
        }
    }
}
