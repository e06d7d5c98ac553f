package dev.sluice.worker.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.stream.StreamState.Retention;
import io.nats.client.Subscription;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pull requests to real servers: how they end, and that none of their ends stalls the pull. */
class JetStreamPullTest {
    /** Not the shared ones: the contract of streams uses the same subjects there. */
    private static final Map<NatsLine, NatsServer> SERVERS = new ConcurrentHashMap<>();

    @AfterAll
    static void stopServers() {
        SERVERS.values().forEach(NatsServer::close);
    }

    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void aRequestThatExpiresIsRepeated(NatsLine line) throws InterruptedException {
        try (NatsTestStream test = stream(line);
                Received received = receive(test, 5, 0)) {
            Subscription requests = test.connection().subscribe("$JS.API.CONSUMER.MSG.NEXT.>");
            assertThat(requests.nextMessage(Duration.ofSeconds(20)))
                    .as("another request")
                    .isNotNull();
            publish(test, 5, 1);
            within(() -> received.deliveries.size() == 5);
            assertThat(received.broken).isEmpty();
            assertThat(received.pull.outstanding()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void allMessagesComeWhateverTheBoundInBytes(NatsLine line) {
        try (NatsTestStream test = stream(line)) {
            publish(test, 30, 100);
            for (int bytes = 250; bytes <= 270; bytes++) {
                test.stream().consumers().create(StreamScene.catchUp("bytes-" + bytes, 1, "p.1"));
                try (Received received = new Received(test.stream().consumers(), "bytes-" + bytes)) {
                    received.pull.want(30, bytes);
                    within(() -> received.deliveries.size() == 30);
                    assertThat(received.consumerSequences()).isEqualTo(StreamScene.upTo(30));
                    assertThat(received.broken).isEmpty();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void aMessageAboveTheBoundInBytesComesAllTheSame(NatsLine line) {
        try (NatsTestStream test = stream(line)) {
            publish(test, 3, 100);
            publish(test, 2, 5_000);
            publish(test, 3, 100);
            try (Received received = receive(test, 8, 1_000)) {
                within(() -> received.deliveries.size() == 8);
                assertThat(received.consumerSequences()).isEqualTo(StreamScene.upTo(8));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void moreRequestsThanMaxWaitingBreakNothing(NatsLine line) {
        try (NatsTestStream test = stream(line)) {
            Consumers consumers = test.stream().consumers();
            consumers.create(
                    new ConsumerSpec("two", List.of("p.1"), 0, true, StreamScene.NEVER_AGAIN, 100, 2, null, false));
            List<Received> pulls = List.of(
                    new Received(consumers, "two"), new Received(consumers, "two"), new Received(consumers, "two"));
            pulls.forEach(each -> each.pull.want(10, 0));
            publish(test, 30, 1);
            within(() -> pulls.stream().mapToInt(each -> each.deliveries.size()).sum() == 30);
            assertThat(pulls).allMatch(each -> each.broken.isEmpty());
            pulls.forEach(Received::close);
        }
    }

    /** Without heartbeats a full consumer would look like a dead one. */
    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void aRequestToAConsumerAtMaxAckPendingGetsHeartbeats(NatsLine line) throws InterruptedException {
        try (NatsTestStream test = stream(line)) {
            test.stream()
                    .consumers()
                    .create(new ConsumerSpec(
                            "full", List.of("p.1"), 0, true, StreamScene.NEVER_AGAIN, 1, 16, null, false));
            publish(test, 3, 1);
            try (Received first = new Received(test.stream().consumers(), "full")) {
                first.pull.want(1, 0);
                within(() -> first.deliveries.size() == 1);
            }
            String inbox = test.connection().createInbox();
            Subscription answers = test.connection().subscribe(inbox);
            test.connection()
                    .publish(
                            "$JS.API.CONSUMER.MSG.NEXT." + test.name() + ".full",
                            inbox,
                            "{\"batch\":5,\"expires\":20000000000,\"idle_heartbeat\":100000000}".getBytes(UTF_8));
            for (int heartbeat = 0; heartbeat < 3; heartbeat++) {
                assertThat(answers.nextMessage(Duration.ofSeconds(10))
                                .getStatus()
                                .getCode())
                        .isEqualTo(100);
            }
        }
    }

    /** Requests of our own, counted by a receiver that always wants more: nothing is lost, nothing stalls. */
    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void aReceiverThatAlwaysWantsMoreGetsEverything(NatsLine line) {
        try (NatsTestStream test = stream(line)) {
            publish(test, 1_000, 1);
            test.stream().consumers().create(StreamScene.catchUp("c", 1, "p.1"));
            try (Received received = new Received(test.stream().consumers(), "c") {
                @Override
                public void delivered(Delivery delivery) {
                    super.delivered(delivery);
                    pull.want(50, 0);
                }
            }) {
                received.pull.want(50, 0);
                within(() -> received.deliveries.size() == 1_000);
                assertThat(received.consumerSequences()).isEqualTo(StreamScene.upTo(1_000));
                assertThat(received.pull.outstanding()).isBetween(25, 50);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void aReceiverThatFailsEndsItsPullAndNoOther(NatsLine line) {
        try (NatsTestStream test = stream(line);
                Received healthy = receive(test, 5, 0)) {
            Received failing = new Received(test.stream().consumers(), "c") {
                @Override
                public void delivered(Delivery delivery) {
                    throw new StackOverflowError("a test");
                }
            };
            test.stream().consumers().create(StreamScene.durable("f", "p.1"));
            Consumers.Pull other = test.stream().consumers().pull("f", failing);
            other.want(5, 0);
            publish(test, 5, 1);
            within(() -> failing.broken.size() == 1 && healthy.deliveries.size() == 5);
        }
    }

    /** The memory that queued messages take is bounded by their sizes: headers may be the larger part. */
    @Test
    void theSizeOfADeliveryCountsItsHeaders() throws Exception {
        try (NatsTestStream test = stream(NatsLine.NEWEST);
                Received received = receive(test, 2, 0)) {
            Headers headers = new Headers().put("Filler", "x".repeat(50_000));
            test.connection().jetStream().publish("p.1", headers, new byte[10]);
            publish(test, 1, 10);
            within(() -> received.deliveries.size() == 2);
            assertThat(received.deliveries.get(0).size()).isBetween(50_010, 50_100);
            assertThat(received.deliveries.get(1).size()).isEqualTo(10);
        }
    }

    private static NatsTestStream stream(NatsLine line) {
        return NatsTestStream.of(SERVERS.computeIfAbsent(line, NatsServer::startPrivate), Retention.LIMITS, -1);
    }

    private static Received receive(NatsTestStream test, int messages, int bytes) {
        test.stream().consumers().create(StreamScene.durable("c", "p.1"));
        Received received = new Received(test.stream().consumers(), "c");
        received.pull.want(messages, bytes);
        return received;
    }

    private static void publish(NatsTestStream test, int count, int bytes) {
        for (int number = 0; number < count; number++) {
            test.publish("p.1", new byte[bytes]);
        }
    }

    private static void within(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }
}
