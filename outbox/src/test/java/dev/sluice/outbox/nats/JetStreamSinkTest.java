package dev.sluice.outbox.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.relay.DeadLetterTopic;
import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JetStreamSinkTest {
    private static final String STREAM = "outbox-sink-test";
    private static final String SUBJECT = "outbox.sink.orders";

    private final NatsServer server = NatsServer.shared();
    private final Sink sink = JetStreamSinks.atLeastOnce(server.url());
    private Connection connection;

    @BeforeEach
    void open() throws Exception {
        connection = Nats.connect(server.url());
        connection
                .jetStreamManagement()
                .addStream(StreamConfiguration.builder()
                        .name(STREAM)
                        .subjects(SUBJECT)
                        .maximumMessageSize(1_000)
                        .build());
    }

    @AfterEach
    void close() throws Exception {
        sink.close();
        connection.jetStreamManagement().deleteStream(STREAM);
        connection.close();
    }

    @Test
    void everyKeyArrivesInOrderAndWhatComesAgainIsDropped() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 500; i++) {
            rows.add(row(i, SUBJECT, "key-" + i % 20, Integer.toString(i)));
        }
        try (Sink.Channel channel = channel()) {
            assertThat(channel.send(rows)).hasSize(500).containsOnly(SendOutcome.SENT);
            assertThat(channel.send(rows)).as("as after a crash").containsOnly(SendOutcome.SENT);
        }
        Map<String, Integer> last = new HashMap<>();
        assertThat(stored()).hasSize(500).allSatisfy(message -> {
            int number = Integer.parseInt(new String(message.getData(), StandardCharsets.UTF_8));
            String key = message.getHeaders().getFirst(Publishing.KEY);
            assertThat(number).isGreaterThan(last.getOrDefault(key, 0));
            last.put(key, number);
        });
    }

    /** The relay runs in the application, and from JDK 25 on the common pool has one thread on two cores. */
    @Test
    void rowsAreSentAndJudgedWhileTheApplicationBlocksTheCommonPool() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        for (int thread = 0; thread < 2 * ForkJoinPool.getCommonPoolParallelism(); thread++) {
            ForkJoinPool.commonPool().submit(() -> released.await(20, TimeUnit.SECONDS));
        }
        FutureTask<List<SendOutcome>> sending = new FutureTask<>(() -> {
            try (Sink.Channel channel = channel()) {
                return channel.send(
                        List.of(row(1, SUBJECT, "key", "1"), row(2, "outbox.sink.nobody", "missing", "no stream")));
            }
        });
        try {
            Thread.startVirtualThread(sending);
            assertThat(sending.get(10, TimeUnit.SECONDS))
                    .extracting(outcome -> outcome.getClass().getSimpleName())
                    .containsExactly("Sent", "Blocked");
        } finally {
            released.countDown();
        }
    }

    @Test
    void aRowThatIsNotTakenConcernsItsKeyAlone() throws Exception {
        try (Sink.Channel channel = channel()) {
            List<SendOutcome> outcomes = channel.send(List.of(
                    row(1, SUBJECT, "large", "x".repeat(2_000)),
                    row(2, SUBJECT, "large", "behind"),
                    row(3, "outbox.sink.nobody", "missing", "no stream"),
                    row(4, "no subject", "wrong", "never"),
                    row(5, SUBJECT, "good", "arrives")));
            assertThat(outcomes.get(0)).isInstanceOf(SendOutcome.Refused.class);
            assertThat(outcomes.get(1)).isEqualTo(new SendOutcome.Held());
            assertThat(outcomes.get(2))
                    .isInstanceOfSatisfying(
                            SendOutcome.Blocked.class,
                            blocked -> assertThat(blocked.reason()).contains("outbox.sink.nobody"));
            assertThat(outcomes.get(3)).isInstanceOf(SendOutcome.Refused.class);
            assertThat(outcomes.get(4)).isEqualTo(SendOutcome.SENT);
        }
        assertThat(stored()).hasSize(1);
    }

    @Test
    void aSubjectThatNoStreamTakesHoldsNoOtherUpAlsoNotOfItsKey() throws Exception {
        String nobody = "outbox.sink.nobody";
        try (Sink.Channel channel = channel()) {
            assertThat(channel.send(List.of(
                            row(1, nobody, "a", "1"),
                            row(2, SUBJECT, "a", "2"),
                            row(3, nobody, "a", "3"),
                            row(4, SUBJECT, "b", "4"))))
                    .extracting(outcome -> outcome.getClass().getSimpleName())
                    .containsExactly("Blocked", "Sent", "Blocked", "Sent");
        }
    }

    @Test
    void itIsAskedWhetherItAnswers() throws Exception {
        sink.probe();
        Sink nowhere = JetStreamSinks.atLeastOnce("nats://127.0.0.1:1");
        assertThatThrownBy(nowhere::probe).isInstanceOf(SinkUnavailableException.class);
    }

    @Test
    void textsThatAreNoAsciiArriveEncodedAndWhatCannotBeAHeaderIsRefused() throws Exception {
        Row foreign =
                new Row(1, 0, SUBJECT, "Zoë 100%", "Grüße", new byte[] {1}, Map.of("city", "Köln"), 0, Instant.EPOCH);
        Row wrong = new Row(2, 0, SUBJECT, "b", "", new byte[] {1}, Map.of("größe", "x"), 0, Instant.EPOCH);
        Row large = new Row(3, 0, SUBJECT, "c", "", new byte[0], Map.of("x", "y".repeat(2_000_000)), 0, Instant.EPOCH);
        try (Sink.Channel channel = channel()) {
            assertThat(channel.send(List.of(foreign, wrong, large)))
                    .satisfiesExactly(
                            one -> assertThat(one).isEqualTo(SendOutcome.SENT),
                            two -> assertThat(two).isInstanceOf(SendOutcome.Refused.class),
                            three -> assertThat(three).isInstanceOf(SendOutcome.Refused.class));
        }
        assertThat(stored()).singleElement().satisfies(message -> {
            var headers = message.getHeaders();
            assertThat(headers.getFirst(Publishing.KEY)).isEqualTo("Zo%C3%AB 100%25");
            assertThat(headers.getFirst("type")).isEqualTo("Gr%C3%BC%C3%9Fe");
            assertThat(headers.getFirst("city")).isEqualTo("K%C3%B6ln");
        });
    }

    @Test
    void twoOutboxesOfOneNameDropNothingOfEachOther() throws Exception {
        for (String identity : List.of("one", "two")) {
            try (Sink.Channel channel =
                    sink.open(new Sink.Opening("test", identity, 0, 1, new FencingToken(1, 1), Map.of(), false))) {
                assertThat(channel.send(List.of(row(1, SUBJECT, "a", identity))))
                        .containsOnly(SendOutcome.SENT);
            }
        }
        assertThat(stored()).hasSize(2);
    }

    @Test
    void everyCopyOfADeadRowArrives() throws Exception {
        try (Sink.Channel channel = new DeadLetterTopic(sink, SUBJECT).open(opening())) {
            channel.buried(row(1, "outbox.sink.nobody", "a", "one"), "no stream", 10);
            channel.buried(row(2, "outbox.sink.nobody", "b", "two"), "no stream", 10);
            channel.buried(row(2, "outbox.sink.nobody", "b", "again"), "no stream", 10);
        }
        assertThat(stored())
                .extracting(message -> new String(message.getData(), StandardCharsets.UTF_8))
                .containsExactly("one", "two", "again");
    }

    @Test
    void whatIsKnownOfOtherRowsStaysKnownWhenOneHasNoAnswer() throws Exception {
        var lost = CompletableFuture.<SendOutcome>failedFuture(new IOException("no answer"));
        var refused = CompletableFuture.<SendOutcome>completedFuture(new SendOutcome.Refused("too large"));
        var sent = CompletableFuture.<SendOutcome>completedFuture(SendOutcome.SENT);
        assertThat(JetStreamSink.known(List.of(lost, sent, refused)))
                .containsExactly(new SendOutcome.Held(), SendOutcome.SENT, new SendOutcome.Refused("too large"));
        assertThatThrownBy(() -> JetStreamSink.known(List.of(lost, lost)))
                .isInstanceOf(SinkUnavailableException.class)
                .hasMessageContaining("no answer");
    }

    @Test
    void aServerThatIsAwayIsNoRowsFaultAndItsPasswordIsNotTold() {
        Sink nowhere = JetStreamSinks.atLeastOnce(Options.builder()
                .server("nats://user:secret@127.0.0.1:1")
                .maxReconnects(0)
                .build());
        assertThatThrownBy(() -> nowhere.open(opening()))
                .isInstanceOf(SinkUnavailableException.class)
                .hasNoCause()
                .hasMessageContaining("127.0.0.1:1")
                .hasMessageNotContaining("secret");
    }

    private Sink.Channel channel() throws Exception {
        return sink.open(opening());
    }

    private static Sink.Opening opening() {
        return new Sink.Opening("test", "id", 0, 1, new FencingToken(1, 1), Map.of(), false);
    }

    private List<Message> stored() throws Exception {
        List<Message> all = new ArrayList<>();
        var subscription = connection.jetStream().subscribe(SUBJECT);
        for (Message next = subscription.nextMessage(500); next != null; next = subscription.nextMessage(300)) {
            all.add(next);
        }
        subscription.unsubscribe();
        return all;
    }

    private static Row row(long id, String topic, String key, String payload) {
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        return new Row(id, 0, topic, key, "Happened", bytes, Map.of(), 0, Instant.EPOCH);
    }
}
