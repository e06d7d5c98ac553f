package dev.sluice.grpc;

import static dev.sluice.grpc.TestControlPlane.subscription;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.grpc.streamer.v1.GatewayHeartbeatRequest;
import dev.sluice.grpc.streamer.v1.ListReply;
import dev.sluice.grpc.streamer.v1.ListRequest;
import dev.sluice.grpc.streamer.v1.Refusal;
import dev.sluice.grpc.streamer.v1.RegisterGatewayRequest;
import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.grpc.streamer.v1.RegisterRequest;
import dev.sluice.grpc.streamer.v1.RemoveGatewayRequest;
import dev.sluice.grpc.streamer.v1.RemoveRequest;
import dev.sluice.grpc.streamer.v1.RenewRequest;
import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc.SubscriptionServiceBlockingStub;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.subscribe.SubscriptionQuotas;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SubscriptionCallsTest {
    private TestControlPlane plane;
    private SubscriptionServiceBlockingStub client;

    @BeforeEach
    void start() throws IOException {
        plane = new TestControlPlane();
        client = plane.client();
    }

    @AfterEach
    void stop() {
        plane.close();
    }

    private RegisterReply register(Subscription... subscriptions) {
        return client.register(RegisterRequest.newBuilder()
                .addAllSubscriptions(List.of(subscriptions))
                .build());
    }

    @Test
    void everyFieldArrivesAndIsListedAgain() {
        String from = new ProgressMarker(Map.of("main", new EventId(ClusterTime.of(7, 1), 9))).encode();
        Subscription whole = Subscription.newBuilder()
                .setId("a")
                .setGatewayId("g")
                .setTenant("t")
                .setCollection("c")
                .setDocumentId("")
                .setFilter("{\"a\": 1}")
                .setPriority("high")
                .setTtlSeconds(60)
                .setFrom(from)
                .setFailover(true)
                .setTransitions(true)
                .build();
        assertThat(register(whole))
                .isEqualTo(RegisterReply.newBuilder()
                        .setProgress(from)
                        .setRevision(1)
                        .build());
        assertThat(client.list(ListRequest.getDefaultInstance()).getSubscriptionsList())
                .containsExactly(whole.toBuilder().clearFrom().build());
        assertThat(plane.subscriptions.find("a").orElseThrow().priority()).isEqualTo(Priority.HIGH);
    }

    @Test
    void namesWithControlCharactersAreRefusedEachWithItsReason() {
        RegisterReply reply = register(
                subscription("hearing", "\u0002a", "{}"),
                subscription("share", "\u00015", "{}"),
                subscription("line\nbreak", "g", "{}"),
                subscription("fine", "g", "{}"));
        assertThat(reply.getRefusalsList())
                .extracting(Refusal::getIndex, Refusal::getReason)
                .containsExactly(
                        tuple(
                                0,
                                "a subscription's gateway id has no control characters, such as line breaks: leave them out"),
                        tuple(
                                1,
                                "a subscription's gateway id has no control characters, such as line breaks: leave them out"),
                        tuple(2, "a subscription's id has no control characters, such as line breaks: leave them out"));
        assertThat(plane.subscriptions.size()).isEqualTo(1);
    }

    @Test
    void whatIsLeftOutHasItsDefault() {
        register(Subscription.newBuilder().setId("a").setCollection("c").build());
        assertThat(plane.subscriptions.find("a")).contains(dev.sluice.model.Subscription.of("a", "", "", "c", "{}"));
    }

    @Test
    void badOnesAreNamedAndTheGoodOnesKept() {
        RegisterReply reply = register(
                subscription("a", "g", "{}"),
                subscription("b", "g", "{\"$where\":\"1\"}"),
                subscription("c", "g", "{}").toBuilder().setPriority("urgent").build(),
                subscription("d", "g", "{}").toBuilder().setTtlSeconds(5).build(),
                subscription("e", "g", "{}").toBuilder().setFrom("?").build(),
                subscription("", "g", "{}"),
                subscription("f", "g", "{}"));
        assertThat(reply.getRefusalsList()).extracting(Refusal::getIndex).containsExactly(1, 2, 3, 4, 5);
        assertThat(reply.getRefusalsList()).extracting(Refusal::getId).containsExactly("b", "c", "d", "e", "");
        assertThat(reply.getRefusals(0).getReason()).contains("$where");
        assertThat(reply.getRefusals(1).getReason()).contains("high, normal, low");
        assertThat(reply.getRefusals(2).getReason()).contains("between 60 and 3600");
        assertThat(plane.subscriptions.size()).isEqualTo(2);
    }

    @Test
    void aRequestOfWhichNothingCanBeTakenIsInvalidWithTheSentence() {
        assertStatus(
                Status.Code.INVALID_ARGUMENT,
                () -> register(subscription("a", "g", "{\"$where\":1}")),
                "subscription 0 \"a\"",
                "$where");
    }

    @Test
    void beyondTheQuotaIsExhausted() throws IOException {
        try (TestControlPlane few =
                new TestControlPlane(new SubscriptionQuotas(1, 9, 9), ServerSecurity.NONE, Duration.ofSeconds(10))) {
            SubscriptionServiceBlockingStub stub = few.client();
            RegisterRequest one = RegisterRequest.newBuilder()
                    .addSubscriptions(subscription("a", "g", "{}"))
                    .build();
            RegisterRequest two = RegisterRequest.newBuilder()
                    .addSubscriptions(subscription("b", "g", "{}"))
                    .build();
            stub.register(one);
            assertStatus(Status.Code.RESOURCE_EXHAUSTED, () -> stub.register(two), "the most one gateway may have");
            stub.register(one);
        }
    }

    @Test
    void aBatchIsBoundedInNumberAndSize() {
        RegisterRequest.Builder many = RegisterRequest.newBuilder();
        for (int k = 0; k < 10_001; k++) {
            many.addSubscriptions(subscription("s" + k, "g", "{}"));
        }
        assertStatus(Status.Code.INVALID_ARGUMENT, () -> client.register(many.build()), "at most 10000");
        RegisterRequest.Builder large = RegisterRequest.newBuilder();
        for (int k = 0; k < 100; k++) {
            large.addSubscriptions(subscription("s" + k, "g", "{\"a\":\"" + "x".repeat(60_000) + "\"}"));
        }
        assertThatThrownBy(() -> client.register(large.build())).isInstanceOf(StatusRuntimeException.class);
        assertThat(plane.subscriptions.size()).isZero();
        register(subscription("good", "g", "{}"));
    }

    @Test
    void renewingSaysWhoIsUnknownAndHowFarTheGatewayIs() {
        register(subscription("a", "g", "{}"), subscription("b", "h", "{}"));
        assertThat(client.renew(
                        RenewRequest.newBuilder().addIds("a").addIds("x").build()))
                .satisfies(reply -> {
                    assertThat(reply.getUnknownList()).containsExactly("x");
                    assertThat(reply.getProgress()).isEqualTo("low-water-of-g");
                });
        assertThat(client.renew(RenewRequest.newBuilder().setGatewayId("h").build())
                        .getProgress())
                .isEqualTo("low-water-of-h");
        assertThat(client.renew(RenewRequest.newBuilder()
                                .addIds("a")
                                .addIds("b")
                                .build())
                        .getProgress())
                .as("of two gateways at once nothing can be said")
                .isEmpty();
        plane.clock.advance(Duration.ofSeconds(200));
        client.renew(RenewRequest.newBuilder().setGatewayId("h").build());
        plane.clock.advance(Duration.ofSeconds(200));
        plane.subscriptions.expire();
        assertThat(plane.subscriptions.find("a")).isEmpty();
        assertThat(plane.subscriptions.find("b")).isPresent();
    }

    @Test
    void removingCountsThoseThatWereThere() {
        register(subscription("a", "g", "{}"), subscription("b", "g", "{}"), subscription("c", "g", "{}"));
        assertThat(client.remove(RemoveRequest.newBuilder()
                                .addIds("a")
                                .addIds("x")
                                .build())
                        .getRemoved())
                .isEqualTo(1);
        assertThat(client.removeGateway(RemoveGatewayRequest.newBuilder()
                                .setGatewayId("g")
                                .build())
                        .getRemoved())
                .isEqualTo(2);
        assertStatus(
                Status.Code.INVALID_ARGUMENT,
                () -> client.removeGateway(RemoveGatewayRequest.getDefaultInstance()),
                "name the gateway");
    }

    @Test
    void listsComeInPages() {
        for (int k = 0; k < 25; k++) {
            register(subscription(String.format("s%02d", k), k % 2 == 0 ? "g" : "h", "{}"));
        }
        List<String> ids = new ArrayList<>();
        String token = "";
        do {
            ListReply page = client.list(ListRequest.newBuilder()
                    .setGatewayId("g")
                    .setPageSize(5)
                    .setPageToken(token)
                    .build());
            page.getSubscriptionsList().forEach(each -> ids.add(each.getId()));
            token = page.getNextPageToken();
        } while (!token.isEmpty());
        assertThat(ids).hasSize(13).startsWith("s00", "s02").isSorted();
        assertStatus(
                Status.Code.INVALID_ARGUMENT,
                () -> client.list(ListRequest.newBuilder().setPageSize(-1).build()),
                "1 to 1000");
    }

    @Test
    void aGatewayRegistersAndBeats() {
        assertThat(client.registerGateway(gateway("g", "http", "http://localhost:1"))
                        .getLeaseSeconds())
                .isEqualTo(30);
        assertThat(client.registerGateway(gateway("k", "kafka", "localhost:9092/x"))
                        .getLeaseSeconds())
                .as("nobody beats for a topic")
                .isZero();
        assertThat(beat("g")).isTrue();
        assertThat(beat("x")).isFalse();
        plane.clock.advance(Duration.ofSeconds(31));
        plane.gateways.step();
        assertThat(plane.gateways.find("g").orElseThrow().up()).isFalse();
        assertThat(beat("g")).isTrue();
        assertThat(plane.gateways.find("g").orElseThrow().up()).isTrue();
        assertStatus(
                Status.Code.INVALID_ARGUMENT,
                () -> client.registerGateway(gateway("g", "smtp", "x")),
                "http, grpc, nats, kafka");
        assertStatus(Status.Code.INVALID_ARGUMENT, () -> client.registerGateway(gateway("", "http", "x")), "id");
    }

    private boolean beat(String id) {
        return client.gatewayHeartbeat(
                        GatewayHeartbeatRequest.newBuilder().setGatewayId(id).build())
                .getKnown();
    }

    private static RegisterGatewayRequest gateway(String id, String protocol, String endpoint) {
        return RegisterGatewayRequest.newBuilder()
                .setGatewayId(id)
                .setProtocol(protocol)
                .setEndpoint(endpoint)
                .build();
    }

    @Test
    void withoutTheTokenNobodyGetsInButHealthAnswers() throws IOException {
        ServerSecurity secret = new ServerSecurity(null, null, null, "secret", false);
        try (TestControlPlane guarded =
                new TestControlPlane(SubscriptionQuotas.DEFAULT, secret, Duration.ofSeconds(9))) {
            ListRequest list = ListRequest.getDefaultInstance();
            assertStatus(Status.Code.UNAUTHENTICATED, () -> guarded.client().list(list), "token");
            Metadata headers = new Metadata();
            headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer secret");
            guarded.client()
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                    .list(list);
            assertThat(HealthGrpc.newBlockingStub(guarded.connect())
                            .check(HealthCheckRequest.newBuilder()
                                    .setService("sluice.streamer.v1.SubscriptionService")
                                    .build())
                            .getStatus())
                    .isEqualTo(ServingStatus.SERVING);
        }
    }

    static void assertStatus(Status.Code code, Runnable call, String... words) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(StatusRuntimeException.class, refused -> {
            assertThat(refused.getStatus().getCode()).isEqualTo(code);
            assertThat(refused.getStatus().getDescription()).contains(words);
        });
    }
}
