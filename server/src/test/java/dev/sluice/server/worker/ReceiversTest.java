package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.GrpcDelivery;
import dev.sluice.grpc.GrpcForward;
import dev.sluice.grpc.worker.v1.FencingToken;
import dev.sluice.http.HttpDelivery;
import dev.sluice.http.HttpForward;
import dev.sluice.server.worker.Receiver.Answer;
import dev.sluice.testkit.servers.FreePorts;
import dev.sluice.testkit.servers.NatsServer;
import io.grpc.Status;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What receivers are sent, and what their answers mean. */
@Timeout(60)
class ReceiversTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static HttpReceiver http(String url) {
        return new HttpReceiver(
                "ORDERS", new HttpForward(URI.create(url), new HttpDelivery("n", TIMEOUT, null, "hunter2")));
    }

    private static GrpcReceiver grpc(String url) {
        return new GrpcReceiver("ORDERS", new GrpcForward(url, GrpcDelivery.of(TIMEOUT)));
    }

    @Test
    void overHttp2WithTheMessagesHeadersAndOurs() throws Exception {
        var message = TestMessage.of(
                7,
                "{\"n\":1}",
                Map.of(
                        "Content-Type", List.of("application/json"),
                        "traceparent", List.of("00-1"),
                        "Authorization", List.of("Bearer stolen"),
                        "Sluice-Attempt", List.of("99"),
                        "Host", List.of("evil")));
        try (var target = new HttpTarget();
                var receiver = http(target.url())) {
            assertThat(receiver.send(message.context(), message)).isEqualTo(Answer.ACCEPTED);
            var request = target.requests.getFirst();
            assertThat(request.body()).isEqualTo("{\"n\":1}");
            assertThat(request.protocol()).isEqualTo("2.0");
            assertThat(request.headers())
                    .containsEntry("content-type", "application/json")
                    .containsEntry("traceparent", "00-1")
                    .containsEntry("authorization", "Bearer hunter2")
                    .containsEntry("sluice-stream", "ORDERS")
                    .containsEntry("sluice-sequence", "7")
                    .containsEntry("sluice-subject", "orders.eu")
                    .containsEntry("sluice-partition", "eu")
                    .containsEntry("sluice-worker", "w-0")
                    .containsEntry("sluice-attempt", "1")
                    .containsEntry("sluice-fencing-token", "2.5");
            assertThat(request.headers().get("host")).isNotEqualTo("evil");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, Accepted",
        "204, Accepted",
        "302, Away",
        "400, Refused",
        "401, Away",
        "404, Away",
        "409, Failed",
        "413, Refused",
        "422, Refused",
        "429, Away",
        "500, Failed",
        "503, Away"
    })
    void aStatusOfHttpMeans(int status, String answer) throws Exception {
        var message = TestMessage.of(1, "x");
        try (var target = new HttpTarget();
                var receiver = http(target.url())) {
            target.answer(body -> status);
            var answered = receiver.send(message.context(), message);
            assertThat(answered.getClass().getSimpleName()).isEqualTo(answer);
            assertThat(answered.toString()).doesNotContain("hunter2");
        }
    }

    @Test
    void aReceiverThatIsNotThereIsAway() throws Exception {
        var message = TestMessage.of(1, "x");
        int port = FreePorts.take();
        try (var overHttp = http("http://127.0.0.1:" + port + "/orders");
                var overGrpc = grpc("http://127.0.0.1:" + port)) {
            assertThat(overHttp.send(message.context(), message)).isInstanceOf(Answer.Away.class);
            assertThat(overGrpc.send(message.context(), message)).isInstanceOf(Answer.Away.class);
        }
    }

    @Test
    void overGrpcWithAllThatIsKnownOfTheMessage() throws Exception {
        var message = TestMessage.of(9, "x", Map.of("a", List.of("1", "2")));
        try (var target = new GrpcTarget();
                var receiver = grpc(target.url())) {
            assertThat(receiver.send(message.context(), message)).isEqualTo(Answer.ACCEPTED);
            var request = target.accepted.getFirst();
            assertThat(request.getStream()).isEqualTo("ORDERS");
            assertThat(request.getSubject()).isEqualTo("orders.eu");
            assertThat(request.getPartition()).isEqualTo("eu");
            assertThat(request.getSequence()).isEqualTo(9);
            assertThat(request.getAttempt()).isEqualTo(1);
            assertThat(request.getWorker()).isEqualTo("w-0");
            assertThat(request.getStoredAt()).isEqualTo(1_000);
            assertThat(request.getData().toStringUtf8()).isEqualTo("x");
            assertThat(request.getFencingToken())
                    .isEqualTo(FencingToken.newBuilder()
                            .setGeneration(2)
                            .setEpoch(5)
                            .build());
            assertThat(request.getHeaders(0).getValuesList()).containsExactly("1", "2");
        }
    }

    @Test
    void aStatusOfGrpcMeans() throws Exception {
        var message = TestMessage.of(1, "x");
        var meanings = Map.of(
                Status.INVALID_ARGUMENT,
                Answer.Refused.class,
                Status.INTERNAL,
                Answer.Failed.class,
                Status.FAILED_PRECONDITION,
                Answer.Failed.class,
                Status.UNAVAILABLE,
                Answer.Away.class,
                Status.UNAUTHENTICATED,
                Answer.Away.class,
                Status.RESOURCE_EXHAUSTED,
                Answer.Away.class,
                Status.RESOURCE_EXHAUSTED.withDescription("message larger than max"),
                Answer.Refused.class);
        try (var target = new GrpcTarget();
                var receiver = grpc(target.url())) {
            for (var meaning : meanings.entrySet()) {
                target.answer(request -> meaning.getKey());
                assertThat(receiver.send(message.context(), message)).isInstanceOf(meaning.getValue());
            }
        }
    }

    @Test
    void aSubjectHasAMessageOnceHoweverOftenItIsSent() throws Exception {
        var name = "out-" + UUID.randomUUID();
        var message = TestMessage.of(
                3, "x", Map.of("Nats-Msg-Id", List.of("theirs"), "Nats-Rollup", List.of("all"), "a", List.of("1")));
        try (var nats = connect();
                var receiver = new SubjectReceiver(
                        nats, "group", "ORDERS", new TargetSubject(name + ".{partition}"), Duration.ofSeconds(2))) {
            assertThat(receiver.send(message.context(), message))
                    .as("no stream takes it")
                    .isInstanceOf(Answer.Away.class);
            nats.jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name(name)
                            .subjects(name + ".>")
                            .storageType(StorageType.Memory)
                            .maximumMessageSize(1_000)
                            .build());
            assertThat(receiver.send(message.context(), message)).isEqualTo(Answer.ACCEPTED);
            assertThat(receiver.send(message.context(), message)).isEqualTo(Answer.ACCEPTED);
            var management = nats.jetStreamManagement();
            assertThat(management.getStreamInfo(name).getStreamState().getMsgCount())
                    .isEqualTo(1);
            var stored = management.getMessage(name, 1);
            assertThat(stored.getSubject()).isEqualTo(name + ".eu");
            assertThat(new String(stored.getData(), StandardCharsets.UTF_8)).isEqualTo("x");
            assertThat(stored.getHeaders().getFirst("Nats-Msg-Id"))
                    .isEqualTo("group-ORDERS-3-" + message.storedAt().toEpochMilli());
            assertThat(stored.getHeaders().getFirst("Sluice-Fencing-Token")).isEqualTo("2.5");
            assertThat(stored.getHeaders().getFirst("a")).isEqualTo("1");
            assertThat(stored.getHeaders().containsKey("Nats-Rollup")).isFalse();
            var large = TestMessage.of(4, "x".repeat(1_500));
            assertThat(receiver.send(large.context(), large)).isInstanceOf(Answer.Refused.class);
        }
    }

    private static Connection connect() throws Exception {
        return Nats.connect(Options.builder()
                .server(NatsServer.shared().url())
                .reportNoResponders()
                .build());
    }
}
