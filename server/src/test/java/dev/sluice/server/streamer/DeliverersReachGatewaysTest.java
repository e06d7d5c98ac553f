package dev.sluice.server.streamer;

import static dev.sluice.testkit.contract.SampleDeliveries.allKinds;
import static dev.sluice.testkit.contract.SampleDeliveries.delivery;
import static dev.sluice.testkit.contract.SampleDeliveries.introductions;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Protocol;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.GatewayBuilder;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.gateway.RejectedException;
import dev.sluice.grpc.GrpcDeliverer;
import dev.sluice.grpc.GrpcDelivery;
import dev.sluice.http.HttpDeliverer;
import dev.sluice.http.HttpDelivery;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Subscription;
import dev.sluice.nats.NatsAccess;
import dev.sluice.nats.NatsDeliverer;
import dev.sluice.nats.NatsDelivery;
import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.testkit.servers.KafkaServer;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.testkit.servers.SelfSigned;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Both ends of a delivery understand each other: our deliverers, and the library gateways are made of. */
@Timeout(60)
class DeliverersReachGatewaysTest {
    private static final String GATEWAY = "gw-both-ends";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final List<ReceivedEvent> received = Collections.synchronizedList(new ArrayList<>());

    @ParameterizedTest
    @EnumSource(names = {"HTTP", "GRPC", "NATS"})
    void whatIsSentArrivesOnceAndWhatTheGatewaySaysComesBack(Protocol protocol) throws Exception {
        try (Gateway gateway = start(protocol);
                Deliverer deliverer = deliverer(new GatewayAddress(gateway.id(), protocol, gateway.address()))) {
            assertThat(send(deliverer, List.of())).as("a probe").isEqualTo(BatchOutcome.DELIVERED);
            assertThat(send(deliverer, allKinds())).isEqualTo(BatchOutcome.DELIVERED);
            assertThat(received)
                    .extracting(ReceivedEvent::eventId)
                    .containsExactlyElementsOf(allKinds().stream()
                            .map(sent -> sent.event().event().id().toString())
                            .toList());
            assertThat(received.getFirst().documentId()).isEqualTo("ö\"\\\n\u2028 key");

            received.clear();
            List<Delivery> batch = List.of(delivery(10), delivery(11, "rejected", 0), delivery(12));
            BatchOutcome partly = new BatchOutcome.PerEvent(
                    List.of(EventOutcome.DELIVERED, new EventOutcome.Rejected("not that one"), EventOutcome.DELIVERED));
            assertThat(send(deliverer, batch)).isEqualTo(partly);
            assertThat(send(deliverer, List.of(batch.get(0), batch.get(2))))
                    .as("sent again")
                    .isEqualTo(BatchOutcome.DELIVERED);
            assertThat(received).extracting(ReceivedEvent::documentId).containsExactly("doc-10", "doc-12");

            assertThat(send(deliverer, List.of(delivery(13, "later", 0))))
                    .isInstanceOfSatisfying(
                            BatchOutcome.PerEvent.class,
                            each -> assertThat(each.outcomes())
                                    .hasExactlyElementsOfTypes(EventOutcome.RetryLater.class));
            assertThat(send(deliverer, List.of(older(delivery(12))))).isInstanceOf(BatchOutcome.Fenced.class);
        }
    }

    /** Row 27. */
    @ParameterizedTest
    @EnumSource(names = {"HTTP", "GRPC", "NATS"})
    void whatAGatewayIsToldIsAdoptedBeforeItsEventsAndAskedForWhenItIsNotKnown(Protocol protocol) throws Exception {
        List<Subscription> adopted = Collections.synchronizedList(new ArrayList<>());
        GatewayBuilder builder = Gateway.builder(GATEWAY)
                .streamer("127.0.0.1:1")
                .adoptBy(told -> {
                    assertThat(received).isEmpty();
                    adopted.add(told);
                    return this::receive;
                });
        List<Delivery> events = List.of(delivery(1), delivery(2));
        try (Gateway gateway = start(protocol, builder);
                Deliverer deliverer = deliverer(new GatewayAddress(gateway.id(), protocol, gateway.address()))) {
            gateway.ready();
            Introductions before = new Introductions(List.of(), List.of("sub-1", "sub-2"));
            assertThat(send(deliverer, new DeliveryBatch(GATEWAY, events, before)))
                    .isInstanceOfSatisfying(
                            BatchOutcome.PerEvent.class,
                            each -> assertThat(each.outcomes())
                                    .hasOnlyElementsOfType(EventOutcome.RetryLater.class)
                                    .hasSize(2));
            Introductions told = new Introductions(introductions().subscriptions(), List.of());
            assertThat(send(deliverer, new DeliveryBatch(GATEWAY, events, told)))
                    .isEqualTo(BatchOutcome.DELIVERED);
            assertThat(adopted).isEqualTo(told.subscriptions());
            assertThat(received).extracting(ReceivedEvent::subscriptionId).containsExactly("sub-1", "sub-2");
            assertThat(send(deliverer, new DeliveryBatch(GATEWAY, List.of(delivery(8)), before)))
                    .isEqualTo(BatchOutcome.DELIVERED);
            assertThat(received).hasSize(3);
        }
    }

    /** As the configuration says, with a secret from the environment; TLS by what {@code security.tls} holds. */
    @Test
    void natsServersThatAskWhoComesAreToldByTheConfiguration(@TempDir Path keys) throws Exception {
        SelfSigned own = SelfSigned.make(keys, "own");
        String tls = "security: {tls: {certificate: '" + own.certificate() + "', key: '" + own.key() + "'}}\n";
        try (NatsServer asking = NatsServer.startPrivate(
                "--user=streamer",
                "--pass=geheim",
                "--tls",
                "--tlscert=" + own.certificate(),
                "--tlskey=" + own.key())) {
            String url = asking.url().replace("nats:", "tls:");
            NatsAccess access = new NatsAccess(
                    List.of(url),
                    "streamer",
                    "geheim",
                    null,
                    null,
                    OwnTrust.of(config(tls).security().tls()).context());
            reaches(access, config(tls + "routing: {delivery: {nats: {user: streamer, password: '${PW}'}}}"));
            isRefused(
                    url,
                    config(tls + "routing: {delivery: {timeout: 2s, nats: {user: streamer, password: '${PW}x'}}}"));
        }
        try (NatsServer asking = NatsServer.startPrivate("--auth=geheim")) {
            NatsAccess access = new NatsAccess(List.of(asking.url()), null, null, "geheim", null, null);
            reaches(access, config("routing: {delivery: {nats: {token: '${PW}'}}}"));
            isRefused(asking.url(), config("routing: {delivery: {timeout: 2s}}"));
        }
    }

    @Test
    void natsServersThatWantCredentialsAreShownThoseOfTheFile(@TempDir Path keys) throws Exception {
        NatsOperator operator = NatsOperator.make(keys);
        Path mine = operator.credentials("streamer");
        try (NatsServer asking = NatsServer.startPrivate("--config=" + operator.serverConfig())) {
            NatsAccess access = new NatsAccess(List.of(asking.url()), null, null, null, mine, null);
            reaches(access, config("routing: {delivery: {nats: {credentials: '" + mine + "'}}}"));
            Path forged = NatsOperator.make(keys.resolve("elsewhere")).credentials("streamer");
            isRefused(
                    asking.url(), config("routing: {delivery: {timeout: 1s, nats: {credentials: '" + forged + "'}}}"));
        }
    }

    @Test
    void kafkaBrokersThatAskWhoComesAreToldByTheConfiguration() throws Exception {
        try (KafkaServer asking = KafkaServer.startAsking("streamer", "geheim")) {
            GatewayAddress topic = new GatewayAddress(GATEWAY, Protocol.KAFKA, asking.url() + "/changes.{collection}");
            try (Deliverer deliverer = configured(sasl("${PW}"), topic)) {
                // The broker creates the topic when it is first asked for; until then the deliverer says "later".
                BatchOutcome outcome = send(deliverer, allKinds());
                long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                while (!outcome.equals(BatchOutcome.DELIVERED) && System.nanoTime() - end < 0) {
                    Thread.sleep(50);
                    outcome = send(deliverer, allKinds());
                }
                assertThat(outcome).isEqualTo(BatchOutcome.DELIVERED);
            }
            try (Deliverer deliverer = configured(sasl("${PW}x"), topic)) {
                assertThat(send(deliverer, allKinds()))
                        .isInstanceOfSatisfying(
                                BatchOutcome.RetryLater.class,
                                later -> assertThat(later.reason())
                                        .contains("uthenti")
                                        .doesNotContain("geheim"));
            }
        }
    }

    private static SluiceConfig sasl(String password) {
        return config("""
                routing:
                  delivery:
                    kafka:
                      properties:
                        security.protocol: SASL_PLAINTEXT
                        sasl.mechanism: PLAIN
                        sasl.jaas.config: 'org.apache.kafka.common.security.plain.PlainLoginModule required username="streamer" password="%s";'
                """.formatted(password));
    }

    private void reaches(NatsAccess access, SluiceConfig config) throws Exception {
        received.clear();
        try (Gateway gateway = Gateway.builder(GATEWAY)
                        .streamer("127.0.0.1:1")
                        .otherwise(this::receive)
                        .receiveByNats(access)
                        .start();
                Deliverer deliverer = configured(config, gateway.address())) {
            assertThat(gateway.address()).doesNotContain("geheim");
            assertThat(send(deliverer, allKinds())).isEqualTo(BatchOutcome.DELIVERED);
            assertThat(received).hasSameSizeAs(allKinds());
        }
    }

    private static void isRefused(String url, SluiceConfig config) throws Exception {
        try (Deliverer deliverer = configured(config, url)) {
            assertThat(send(deliverer, allKinds()))
                    .isInstanceOfSatisfying(
                            BatchOutcome.RetryLater.class,
                            later -> assertThat(later.reason())
                                    .contains("uthenti")
                                    .doesNotContain("geheim"));
        }
    }

    private static Deliverer configured(SluiceConfig config, String url) {
        return configured(config, new GatewayAddress(GATEWAY, Protocol.NATS, url));
    }

    private static Deliverer configured(SluiceConfig config, GatewayAddress address) {
        return new DeliverersByProtocol("node-1", config.routing().delivery(), config.security()).to(address);
    }

    private static SluiceConfig config(String yaml) {
        return ((Reading.Accepted) ConfigFile.parse(yaml, Map.of("PW", "geheim"))).config();
    }

    private Gateway start(Protocol protocol) {
        return start(protocol, Gateway.builder(GATEWAY).streamer("127.0.0.1:1").otherwise(this::receive));
    }

    private static Gateway start(Protocol protocol, GatewayBuilder builder) {
        ListenAddress anyPort = new ListenAddress("127.0.0.1", 0);
        return switch (protocol) {
            case HTTP -> builder.receiveByHttp(anyPort).start();
            case GRPC -> builder.receiveByGrpc(anyPort).start();
            case NATS ->
                builder.receiveByNats(NatsAccess.to(NatsServer.shared().url())).start();
            case KAFKA -> throw new IllegalArgumentException("a topic is its own gateway");
        };
    }

    private void receive(ReceivedEvent event) throws Exception {
        switch (event.documentId()) {
            case "rejected" -> throw new RejectedException("not that one");
            case "later" -> throw new IllegalStateException("not now");
            default -> received.add(event);
        }
    }

    private static Deliverer deliverer(GatewayAddress address) {
        return switch (address.protocol()) {
            case HTTP -> new HttpDeliverer(address, HttpDelivery.of("node-1", TIMEOUT));
            case GRPC -> new GrpcDeliverer(address, GrpcDelivery.of(TIMEOUT));
            case NATS -> new NatsDeliverer(address, NatsDelivery.of(NatsDelivery.Mode.REQUEST, TIMEOUT));
            case KAFKA -> throw new IllegalArgumentException("a topic is its own gateway");
        };
    }

    private static BatchOutcome send(Deliverer deliverer, List<Delivery> deliveries) throws Exception {
        return send(deliverer, new DeliveryBatch(GATEWAY, deliveries));
    }

    private static BatchOutcome send(Deliverer deliverer, DeliveryBatch batch) throws Exception {
        return deliverer.deliver(batch).toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    /** As a sender that was replaced has it. */
    private static Delivery older(Delivery delivery) {
        return new Delivery(
                delivery.subscriptionId(),
                delivery.type(),
                delivery.event(),
                1,
                delivery.partition(),
                new FencingToken(0, 1),
                false,
                "");
    }
}
