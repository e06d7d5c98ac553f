package dev.sluice.gateway;

import static dev.sluice.gateway.Events.event;
import static dev.sluice.gateway.Events.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.deliver.Passed;
import dev.sluice.deliver.Protocol;
import dev.sluice.grpc.GrpcDeliverer;
import dev.sluice.grpc.GrpcDelivery;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.http.HttpDeliverer;
import dev.sluice.http.HttpDelivery;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.nats.NatsAccess;
import dev.sluice.nats.NatsDeliverer;
import dev.sluice.nats.NatsDelivery;
import dev.sluice.net.ListenAddress;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.testkit.servers.SelfSigned;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The same promises by each protocol, over real sockets. */
@Timeout(60)
class GatewayProtocolsTest {
    private final List<ReceivedEvent> told = new CopyOnWriteArrayList<>();
    private boolean failing;

    private void callback(ReceivedEvent event) throws Exception {
        if (event.documentId().equals("bad")) {
            throw new RejectedException("bad \"document\"");
        }
        if (failing) {
            throw new IllegalStateException("not now");
        }
        told.add(event);
    }

    private Gateway start(StandInStreamer streamer, GatewayBuilder builder) throws Exception {
        streamer.progress = StandInStreamer.marker(0);
        Gateway gateway = builder.streamer(streamer.address()).start();
        StandInStreamer.await("it is registered", () -> streamer.gateways.containsKey(gateway.id()));
        gateway.subscribe(Subscription.of("s", gateway.id(), "acme", "orders", "{}"), this::callback);
        return gateway;
    }

    @Test
    void byHttp2() throws Exception {
        try (StandInStreamer streamer = new StandInStreamer();
                Gateway gateway = start(streamer, Gateway.builder("g"));
                Sender sender = Sender.http(streamer.gateways.get("g").getEndpoint())) {
            assertThat(streamer.gateways.get("g").getProtocol()).isEqualTo("http");
            assertThat(sender.send()).isEqualTo("200 HTTP_2 {\"accepted\":0,\"rejections\":[]}");
            assertThat(sender.send(event("s", "a", 1), event("s", "bad", 2)))
                    .isEqualTo(
                            "200 HTTP_2 {\"accepted\":1,\"rejections\":[{\"index\":1,\"reason\":\"bad \\\"document\\\"\"}]}");
            assertToldFirst(gateway);
            assertThat(sender.send(event("s", "a", 3, new FencingToken(1, 0)))).startsWith("409 HTTP_2 {\"fenced\":");
            failing = true;
            assertThat(sender.send(event("s", "a", 4))).startsWith("503 HTTP_2 {\"retry\":");
            assertThat(sender.send(event("s", "a", 5, new FencingToken(1, 1), EventType.UPDATE, "")))
                    .startsWith("400 HTTP_2 {\"refused\":");
        }
    }

    @Test
    void byGrpc() throws Exception {
        try (StandInStreamer streamer = new StandInStreamer();
                Gateway gateway = start(streamer, Gateway.builder("g").receiveByGrpc(ListenAddress.loopback(0)));
                Sender sender = Sender.grpc(streamer.gateways.get("g").getEndpoint(), "g");
                Sender lost = Sender.grpc(streamer.gateways.get("g").getEndpoint(), "another")) {
            assertThat(streamer.gateways.get("g").getProtocol()).isEqualTo("grpc");
            assertThat(sender.send()).isEqualTo("OK 0 0 []");
            assertThat(sender.send(event("s", "a", 1), event("s", "bad", 2))).isEqualTo("OK 1 1 [1:bad \"document\"]");
            assertToldFirst(gateway);
            assertThat(sender.send(event("s", "a", 3, new FencingToken(1, 0)))).startsWith("FAILED_PRECONDITION ");
            failing = true;
            assertThat(sender.send(event("s", "a", 4))).startsWith("UNAVAILABLE ");
            assertThat(sender.send(event("s", "a", 5, new FencingToken(1, 1), EventType.UPDATE, "")))
                    .startsWith("INVALID_ARGUMENT ");
            assertThat(lost.send(event("s", "a", 6))).startsWith("UNAVAILABLE this is gateway g, not ");
        }
    }

    @Test
    void byNats() throws Exception {
        String nats = NatsServer.shared().url();
        try (StandInStreamer streamer = new StandInStreamer();
                Gateway gateway = start(streamer, Gateway.builder("g-nats").receiveByNats(NatsAccess.to(nats)));
                Sender sender = Sender.nats(streamer.gateways.get("g-nats").getEndpoint(), "g-nats")) {
            assertThat(streamer.gateways.get("g-nats").getProtocol()).isEqualTo("nats");
            assertThat(sender.send()).isEqualTo("{\"accepted\":0,\"rejections\":[]}");
            assertThat(sender.send(event("s", "a", 1), event("s", "bad", 2)))
                    .isEqualTo("{\"accepted\":1,\"rejections\":[{\"index\":1,\"reason\":\"bad \\\"document\\\"\"}]}");
            assertToldFirst(gateway);
            assertThat(sender.send(event("s", "a", 3, new FencingToken(1, 0)))).startsWith("{\"fenced\":");
            failing = true;
            assertThat(sender.send(event("s", "a", 4))).startsWith("{\"retry\":");
            assertThat(sender.send(event("s", "a", 5, new FencingToken(1, 1), EventType.UPDATE, "")))
                    .startsWith("{\"refused\":");
        }
    }

    /** An event that breaks, one that comes later, and what follows them: the other subscriptions have theirs, by every protocol. */
    @Test
    void whatASubscriptionCannotHandleNowHoldsNobodyElse() throws Exception {
        byEveryProtocol("each", (gateway, deliverer) -> {
            gateway.subscribe(Subscription.of("away", gateway.id(), "acme", "orders", "{}"), event -> {
                throw new NotNowException("database away");
            });
            List<Delivery> batch = List.of(sent("s", 1), sent("away", 1), sent("s", 2), sent("away", 2));
            BatchOutcome outcome = outcome(deliverer, gateway, batch, List.of());
            assertThat(outcome).as(gateway.id()).isInstanceOf(BatchOutcome.PerEvent.class);
            assertThat(((BatchOutcome.PerEvent) outcome).outcomes())
                    .satisfiesExactly(
                            first -> assertThat(first).isEqualTo(EventOutcome.DELIVERED),
                            second -> assertThat(second)
                                    .isInstanceOfSatisfying(
                                            EventOutcome.RetryLater.class,
                                            later -> assertThat(later.reason()).endsWith("database away")),
                            third -> assertThat(third).isEqualTo(EventOutcome.DELIVERED),
                            fourth -> assertThat(fourth).isInstanceOf(EventOutcome.RetryLater.class));
        });
    }

    @Test
    void aDeleteThatStandsForManyIsToldToAllButThoseItDoesNotStandFor() throws Exception {
        byEveryProtocol("except", (gateway, deliverer) -> {
            Queue<String> toldOf = new ConcurrentLinkedQueue<>();
            for (String id : List.of("f1", "f\"2", "f3")) {
                gateway.subscribe(
                        Subscription.of(id, gateway.id(), "acme", "orders", "{\"n\":1}"), event -> toldOf.add(id));
            }
            Delivery one = sent("f1", 1);
            Delivery many = new Delivery(
                    one.subscriptionId(),
                    one.type(),
                    one.event(),
                    one.seq(),
                    one.partition(),
                    one.token(),
                    false,
                    "",
                    Priority.NORMAL,
                    Delivery.Scope.UNKNOWN,
                    0,
                    List.of("f\"2", "gone"));
            assertThat(outcome(deliverer, gateway, List.of(many), List.of())).isEqualTo(BatchOutcome.DELIVERED);
            assertThat(toldOf).as(gateway.id()).containsExactlyInAnyOrder("f1", "f3");
        });
    }

    private interface Receiving {
        void by(Gateway gateway, Deliverer deliverer) throws Exception;
    }

    private void byEveryProtocol(String name, Receiving test) throws Exception {
        String nats = NatsServer.shared().url();
        Duration patient = Duration.ofSeconds(10);
        List<GatewayBuilder> builders = List.of(
                Gateway.builder("g-" + name + "-http"),
                Gateway.builder("g-" + name + "-grpc").receiveByGrpc(ListenAddress.loopback(0)),
                Gateway.builder("g-" + name + "-nats").receiveByNats(NatsAccess.to(nats)));
        List<Deliverers> deliverers = List.of(
                address -> new HttpDeliverer(address, HttpDelivery.of("node", patient)),
                address -> new GrpcDeliverer(
                        address, new GrpcDelivery(patient, InsecureChannelCredentials.create(), null)),
                address -> new NatsDeliverer(address, NatsDelivery.of(NatsDelivery.Mode.REQUEST, patient)));
        for (int k = 0; k < builders.size(); k++) {
            try (StandInStreamer streamer = new StandInStreamer();
                    Gateway gateway = start(streamer, builders.get(k))) {
                var known = streamer.gateways.get(gateway.id());
                assertThat(known.getUnderstandsExcept()).isTrue();
                GatewayAddress address =
                        new GatewayAddress(gateway.id(), Protocol.parse(known.getProtocol()), known.getEndpoint());
                try (Deliverer deliverer = deliverers.get(k).to(address)) {
                    test.by(gateway, deliverer);
                }
            }
        }
    }

    /** Without events it is answered like a probe; with some it is known before the first of them. */
    @Test
    void howFarPartitionsHaveGotArrives() throws Exception {
        byEveryProtocol("passed", (gateway, deliverer) -> {
            assertThat(outcome(deliverer, gateway, List.of(), List.of(passed(0, 7, 20), passed(1, 5, 21))))
                    .as(gateway.id())
                    .isEqualTo(BatchOutcome.DELIVERED);
            PassedPartitions.Lowest lowest = gateway.passed().lowest();
            assertThat(lowest).as(gateway.id()).isNotNull();
            assertThat(lowest.marker().text()).isEqualTo(StandInStreamer.marker(5));
            assertThat(lowest.revision()).isEqualTo(20);
            assertThat(lowest.except()).containsExactlyInAnyOrder("side \"0\"", "side \"1\"");
            assertThat(lowest.generation()).isEqualTo(3);
            assertThat(outcome(deliverer, gateway, List.of(sent("s", 1)), List.of(passed(1, 8, 21))))
                    .isEqualTo(BatchOutcome.DELIVERED);
            assertThat(gateway.passed().lowest().marker().text()).isEqualTo(StandInStreamer.marker(7));
            assertThat(outcome(deliverer, gateway, List.of(sent("s", 2)), List.of(passed(2, 8, 21))))
                    .as("there is no such partition; the event beside it does not suffer")
                    .isEqualTo(BatchOutcome.DELIVERED);
        });
    }

    private static Passed passed(int partition, int n, long revision) {
        return new Passed(
                3,
                2,
                partition,
                ProgressMarker.decode(StandInStreamer.marker(n)),
                revision,
                List.of("side \"" + partition + '"'));
    }

    private static BatchOutcome outcome(
            Deliverer deliverer, Gateway gateway, List<Delivery> deliveries, List<Passed> passed) throws Exception {
        return deliverer
                .deliver(new DeliveryBatch(gateway.id(), deliveries, Introductions.NONE, passed))
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    private static Delivery sent(String subscription, int seq) {
        ChangeEvent event = new ChangeEvent(
                EventId.parse(id(seq)),
                "db",
                Operation.DELETE,
                "acme",
                "orders",
                new DocumentId(DocumentId.Kind.STRING, "a"),
                null,
                null,
                1,
                OptionalLong.empty(),
                false);
        return new Delivery(
                subscription, EventType.DELETE, new OutgoingEvent(event), seq, 0, new FencingToken(1, 1), false, "");
    }

    @Test
    void whatIsBeingHandledWhenItClosesIsAnsweredOverNats() throws Exception {
        String nats = NatsServer.shared().url();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Gateway gateway = Gateway.builder("g-closing")
                .streamer("127.0.0.1:1")
                .otherwise(event -> {
                    inside.countDown();
                    assertThat(go.await(10, TimeUnit.SECONDS)).isTrue();
                })
                .receiveByNats(NatsAccess.to(nats))
                .start();
        try (Sender sender = Sender.nats(gateway.address(), "g-closing")) {
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return sender.send(event("s", "a", 1));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
            Thread closing = Thread.ofVirtual().start(gateway::close);
            assertThat(closing.join(Duration.ofMillis(200))).as("it waits").isFalse();
            go.countDown();
            assertThat(answer.get(10, TimeUnit.SECONDS)).startsWith("{\"accepted\":1");
            closing.join();
        }
    }

    /** jnats closes for good when a server refuses it twice. */
    @Test
    void aClosedConnectionToNatsIsMadeAgainAndNoPasswordIsRegistered() throws Exception {
        String nats = NatsServer.shared().url();
        GatewayCounters counters = new GatewayCounters();
        Strangers strangers = new Strangers(
                this::callback, 8, Duration.ZERO, new EarlierSubscriptions(System::nanoTime), System::nanoTime);
        Intake intake = new Intake(
                new Receiver(
                        new HeldSubscriptions(),
                        new Adopted(null, 8, System::nanoTime),
                        strangers,
                        counters,
                        new PassedPartitions()),
                counters,
                1 << 20);
        NatsAccess access = NatsAccess.to(nats.replace("nats://", "nats://user:secret@"));
        NatsEndpoint endpoint = new NatsEndpoint("g-again", access, intake);
        try (Sender sender = Sender.nats(endpoint.address(), "g-again")) {
            assertThat(endpoint.address()).isEqualTo(nats);
            var first = endpoint.connection();
            first.close();
            StandInStreamer.await("it is connected again", () -> endpoint.connection() != first);
            assertThat(sender.send(event("s", "a", 1))).startsWith("{\"accepted\":1");
        } finally {
            endpoint.close();
        }
    }

    @Test
    void byGrpcWithTlsWhereItSaysItIs(@TempDir Path keys) throws Exception {
        SelfSigned pair = SelfSigned.make(keys, "gateway");
        ServerSecurity tls = new ServerSecurity(pair.certificate(), pair.key(), null, "a long secret", false);
        try (Gateway gateway = Gateway.builder("g-tls")
                .streamer("127.0.0.1:1")
                .security(tls)
                .receiveByGrpc(ListenAddress.loopback(0))
                .start()) {
            var settings = new GrpcDelivery(
                    Duration.ofSeconds(10),
                    TlsChannelCredentials.newBuilder()
                            .trustManager(pair.certificate().toFile())
                            .build(),
                    "a long secret");
            try (Deliverer deliverer =
                    new GrpcDeliverer(new GatewayAddress("g-tls", Protocol.GRPC, gateway.address()), settings)) {
                assertThat(deliverer
                                .deliver(new DeliveryBatch("g-tls", List.of()))
                                .toCompletableFuture()
                                .get(20, TimeUnit.SECONDS))
                        .isEqualTo(BatchOutcome.DELIVERED);
            }
        }
    }

    private void assertToldFirst(Gateway gateway) {
        assertThat(told).hasSize(1);
        assertThat(told.getFirst()).isEqualTo(event("s", "a", 1).event());
        assertThat(told.getFirst().json())
                .isEqualTo(
                        "{\"id\":\"" + id(1) + "\",\"type\":\"update\",\"tenant\":\"acme\",\"collection\":\"orders\","
                                + "\"documentId\":\"a\",\"document\":{\"_id\": \"a\", \"n\": 1},\"updateDescription\":null,"
                                + "\"timestamp\":1001,\"lookup\":false}");
        assertThat(gateway.counters().handled()).isOne();
        assertThat(gateway.counters().rejected()).isOne();
        assertThat(gateway.progress("s")).isEqualTo(StandInStreamer.marker(1));
    }
}
