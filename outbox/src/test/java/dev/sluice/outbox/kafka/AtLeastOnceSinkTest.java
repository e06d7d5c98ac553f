package dev.sluice.outbox.kafka;

import static dev.sluice.outbox.kafka.TestTopic.header;
import static dev.sluice.outbox.kafka.TestTopic.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import dev.sluice.testkit.faults.UnledKafka;
import dev.sluice.testkit.servers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AtLeastOnceSinkTest {
    private static final Instant CREATED = Instant.parse("2026-11-15T12:00:00Z");

    @Test
    void aBatchArrivesWithEveryKeyInOrder() throws Exception {
        TestTopic topic = TestTopic.create(3);
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 2_000; i++) {
            rows.add(row(i, topic.name(), "key-" + i % 50, Integer.toString(i)));
        }

        assertThat(send(topic, RecordFormat.PLAIN, rows)).hasSize(2_000).containsOnly(SendOutcome.SENT);

        Map<String, Integer> last = new HashMap<>();
        assertThat(topic.records()).hasSize(2_000).allSatisfy(record -> {
            int number = Integer.parseInt(text(record.value()));
            assertThat(number).isGreaterThan(last.getOrDefault(text(record.key()), 0));
            last.put(text(record.key()), number);
            assertThat(header(record, RecordFormat.ID)).isEqualTo(Integer.toString(number));
        });
    }

    /** KAFKA-15591: with several requests in flight the broker takes the second one, and refuses the first one for ever. */
    @Test
    @Timeout(60)
    void rowsRefusedByABrokerThatDoesNotLeadYetAreNotOvertaken() throws Exception {
        TestTopic topic = TestTopic.create(1);
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 2_000; i++) {
            rows.add(row(i, topic.name(), "key-" + i % 50, i + "x".repeat(400)));
        }
        try (UnledKafka broker = UnledKafka.inFrontOf(topic.broker().port());
                Sink sink = KafkaSinks.atLeastOnce(Map.of("bootstrap.servers", "127.0.0.1:" + broker.port()));
                Sink.Channel channel = open(sink)) {
            broker.refuseNextProduce();
            assertThat(channel.send(rows)).hasSize(2_000).containsOnly(SendOutcome.SENT);
            assertThat(broker.refused()).isEqualTo(1);
        }
        assertThat(topic.records())
                .extracting(record -> Integer.parseInt(header(record, RecordFormat.ID)))
                .hasSize(2_000)
                .isSorted();
    }

    @Test
    void whatATopicDoesNotTakeIsRefusedBeforeAnythingOfItsKeyIsSent() throws Exception {
        TestTopic topic = TestTopic.create(KafkaServer.shared(), 1, Map.of("max.message.bytes", "1000"));

        List<SendOutcome> outcomes = send(
                topic,
                RecordFormat.PLAIN,
                List.of(
                        row(1, topic.name(), "bad", "first"),
                        row(2, topic.name(), "bad", "x".repeat(1_000)),
                        row(3, topic.name(), "good", "other"),
                        row(4, topic.name(), "bad", "behind")));

        assertThat(outcomes.get(0)).isEqualTo(SendOutcome.SENT);
        assertThat(outcomes.get(1))
                .isInstanceOfSatisfying(
                        SendOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).contains("1000", "max.message.bytes"));
        assertThat(outcomes.get(2)).isEqualTo(SendOutcome.SENT);
        assertThat(outcomes.get(3)).isEqualTo(new SendOutcome.Held());
        assertThat(topic.records()).extracting(record -> text(record.value())).containsExactly("first", "other");
    }

    /** The producer gathers up to 256 KiB; the broker refuses a batch that the producer then splits. */
    @Test
    void aTopicThatTakesSmallerBatchesThanTheProducerMakesGetsEveryKeyInOrder() throws Exception {
        TestTopic topic = TestTopic.create(KafkaServer.shared(), 1, Map.of("max.message.bytes", "20000"));
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 600; i++) {
            rows.add(row(i, topic.name(), "key-" + i % 50, "x".repeat(400)));
        }

        assertThat(send(topic, RecordFormat.PLAIN, rows)).hasSize(600).containsOnly(SendOutcome.SENT);

        assertThat(topic.records())
                .extracting(record -> Integer.parseInt(header(record, RecordFormat.ID)))
                .hasSize(600)
                .isSorted();
    }

    @Test
    void theSizeReckonedIsTheSizeTheBrokerTakes() throws Exception {
        TestTopic topic = TestTopic.create(KafkaServer.shared(), 1, Map.of("max.message.bytes", "1000"));
        int largest = 0;
        for (int length = 800; length <= 1_000; length++) {
            Row row = row(length, topic.name(), "key", "x".repeat(length));
            if (RecordSize.inBroker(RecordFormat.PLAIN.record(row)) <= 1_000) {
                largest = length;
            }
        }
        Row fits = row(1, topic.name(), "key", "x".repeat(largest));
        assertThat(send(topic, RecordFormat.PLAIN, List.of(fits))).containsExactly(SendOutcome.SENT);
        assertThat(topic.records().getFirst().serializedValueSize()).isEqualTo(largest);
    }

    @Test
    void aTopicThatCannotBeConcernsItsRowsAlone() throws Exception {
        TestTopic topic = TestTopic.create(1);

        List<SendOutcome> outcomes = send(
                topic,
                RecordFormat.PLAIN,
                List.of(row(1, "no topic!", "bad", "lost"), row(2, topic.name(), "good", "arrives")));

        assertThat(outcomes.get(0)).isInstanceOf(SendOutcome.Refused.class);
        assertThat(outcomes.get(1)).isEqualTo(SendOutcome.SENT);
        assertThat(topic.records()).extracting(record -> text(record.value())).containsExactly("arrives");
    }

    @Test
    void cloudEventsSayWhoWhatAndWhenInHeaders() throws Exception {
        TestTopic topic = TestTopic.create(1);

        send(topic, RecordFormat.cloudEvents("/orders"), List.of(row(7, topic.name(), "42", "{}")));

        var record = topic.records().getFirst();
        assertThat(header(record, "ce_specversion")).isEqualTo("1.0");
        assertThat(header(record, "ce_id")).isEqualTo("7");
        assertThat(header(record, "ce_source")).isEqualTo("/orders");
        assertThat(header(record, "ce_type")).isEqualTo("Happened");
        assertThat(header(record, "ce_subject")).isEqualTo("42");
        assertThat(header(record, "ce_time")).isEqualTo("2026-11-15T12:00:00Z");
        assertThat(header(record, "content-type")).isEqualTo("application/octet-stream");
        assertThat(header(record, "trace")).isEqualTo("t-7");
    }

    @Test
    void whileTheBrokerStandsStillASendWaitsAndAClosedChannelEndsIt() throws Exception {
        try (KafkaServer broker = KafkaServer.startPrivate()) {
            TestTopic topic = TestTopic.create(broker, 1, Map.of());
            try (Sink sink = KafkaSinks.atLeastOnce(topic.producer());
                    Sink.Channel channel = open(sink)) {
                channel.send(List.of(row(1, topic.name(), "key", "1")));
                broker.pause();
                var waiting = CompletableFuture.supplyAsync(() -> {
                    try {
                        return channel.send(List.of(row(2, topic.name(), "key", "2")))
                                .toString();
                    } catch (SinkUnavailableException | InterruptedException ended) {
                        return ended.getMessage();
                    }
                });
                assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS))
                        .isInstanceOf(java.util.concurrent.TimeoutException.class);
                channel.close();
                assertThat(waiting.get(5, TimeUnit.SECONDS)).contains("given up");
                broker.resume();
            }
        }
    }

    /** A producer goes on with such a topic for ever, and all rows of its batch wait. */
    @Test
    @Timeout(30)
    void aTopicThatIsDeletedWhileItsRowsAreUnderWayEndsTheWaitAndIsMissingAfterwards() throws Exception {
        TestTopic topic = TestTopic.create(1);
        ClientProperties properties = new ClientProperties(topic.producer());
        try (Topics topics = new Topics(properties, System::nanoTime);
                Admin admin = Admin.create(properties.admin())) {
            Sending sending = new Sending(properties, RecordFormat.PLAIN, topics);
            Batch batch =
                    Batch.check(List.of(row(1, topic.name(), "key", "1")), RecordFormat.PLAIN, topics, Long.MAX_VALUE);
            Acknowledgements neverComplete = new Acknowledgements(1);
            assertThat(neverComplete.of(0)).isNotNull();
            assertThat(topics.isAnyGone(batch.topics())).isFalse();
            admin.deleteTopics(List.of(topic.name())).all().get();

            assertThatThrownBy(() -> sending.await(batch, neverComplete))
                    .isInstanceOf(SinkUnavailableException.class)
                    .hasMessageContaining("deleted");
            assertThat(topics.refusal(topic.name())).containsInstanceOf(SendOutcome.Blocked.class);
        }
    }

    /** The first batch shall not wait for it. */
    @Test
    void whatSendsIsMadeWhenTheSinkIsOpened() throws Exception {
        Map<String, Object> named = new HashMap<>(TestTopic.create(1).producer());
        named.put("client.id", "made-at-the-opening");
        try (Sink sink = KafkaSinks.atLeastOnce(named);
                Sink.Channel channel = open(sink)) {
            assertThat(channel).isNotNull();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .anyMatch(name -> name.contains("producer") && name.endsWith("made-at-the-opening"));
        }
    }

    @Test
    void anIdleSinkIsAskedWhetherTheBrokersAnswer() throws Exception {
        try (Sink sink = KafkaSinks.atLeastOnce(TestTopic.create(1).producer());
                Sink nowhere = KafkaSinks.exactlyOnce(Map.of("bootstrap.servers", "127.0.0.1:1"))) {
            sink.probe();
            assertThatThrownBy(nowhere::probe)
                    .isInstanceOf(SinkUnavailableException.class)
                    .hasMessageContaining("Kafka does not answer");
        }
    }

    /** Such a topic takes rows again by itself, and the producer sends them until it does: nobody's fault, nothing to park. */
    @Test
    void tooFewReplicasInSyncAreNoFaultOfARowOrItsTopic() {
        for (Exception few : List.of(new NotEnoughReplicasException(), new NotEnoughReplicasAfterAppendException(""))) {
            assertThat(KafkaFailure.ofRow(few)).isEmpty();
            assertThat(few).isInstanceOf(RetriableException.class);
        }
    }

    /** The producer would ask the brokers again for each of its rows. */
    @Test
    void ofATopicThatMayNotBeWrittenOneRowIsTriedAndOthersGoOn() throws Exception {
        try (Topics topics = new Topics(new ClientProperties(Map.of("bootstrap.servers", "x:1")), System::nanoTime)) {
            Batch batch = Batch.check(
                    List.of(
                            row(1, "denied", "a", "1"),
                            row(2, "denied", "b", "2"),
                            row(3, "orders", "a", "3"),
                            row(4, "denied", "a", "4")),
                    RecordFormat.PLAIN,
                    topics,
                    Long.MAX_VALUE);
            var denied = new TopicAuthorizationException(Set.of("denied"));
            assertThat(batch.next(0)).isNotNull();
            batch.failed(0, denied);
            assertThat(batch.next(1)).isNull();
            assertThat(batch.next(2)).as("another topic, though the same key").isNotNull();
            assertThat(batch.next(3)).isNull();
            assertThat(batch.outcomes(new Exception[] {denied, null, null, null}))
                    .extracting(outcome -> outcome.getClass().getSimpleName())
                    .containsExactly("Blocked", "Blocked", "Sent", "Blocked");
        }
    }

    /** Else slow brokers and one missing topic would have the whole batch sent over and over. */
    @Test
    void aTopicThatNothingIsSentToIsNotMissedWhileOthersAreWaitedFor() throws Exception {
        TestTopic topic = TestTopic.create(1);
        try (Topics topics = new Topics(new ClientProperties(topic.producer()), System::nanoTime)) {
            assertThat(topics.isAnyGone(List.of("no-such-topic"))).isTrue();
            List<Row> rows = List.of(row(1, "no-such-topic", "bad", "1"), row(2, topic.name(), "good", "2"));
            Batch batch = Batch.check(rows, RecordFormat.PLAIN, topics, Long.MAX_VALUE);
            assertThat(batch.next(0)).isNull();
            assertThat(batch.next(1)).isNotNull();
            assertThat(topics.isAnyGone(batch.topics())).isFalse();
        }
    }

    @Test
    void propertiesThatWouldLoseOrderOrRowsAreRefused() {
        String servers = "bootstrap.servers";
        assertThatThrownBy(() -> KafkaSinks.atLeastOnce(Map.of()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(servers);
        for (Map.Entry<String, Object> wrong : Map.<String, Object>of(
                        "acks",
                        "1",
                        "enable.idempotence",
                        false,
                        "max.in.flight.requests.per.connection",
                        2,
                        "delivery.timeout.ms",
                        120_000,
                        "partitioner.ignore.keys",
                        true,
                        "partitioner.class",
                        "org.apache.kafka.clients.producer.RoundRobinPartitioner")
                .entrySet()) {
            assertThatThrownBy(() ->
                            KafkaSinks.atLeastOnce(Map.of(servers, "127.0.0.1:1", wrong.getKey(), wrong.getValue())))
                    .isInstanceOf(InvalidInputException.class)
                    .hasMessageContaining(wrong.getKey());
        }
    }

    @Test
    void aSendNeverEndsByItself() {
        assertThat(new ClientProperties(Map.of("bootstrap.servers", "127.0.0.1:1")).producer())
                .as("or a later row of its key would overtake it")
                .containsEntry("delivery.timeout.ms", Integer.MAX_VALUE)
                .containsEntry("acks", "all")
                .containsEntry("max.in.flight.requests.per.connection", 1)
                .containsEntry("enable.idempotence", true);
    }

    private static List<SendOutcome> send(TestTopic topic, RecordFormat format, List<Row> rows) throws Exception {
        try (Sink sink = KafkaSinks.atLeastOnce(topic.producer(), format);
                Sink.Channel channel = open(sink)) {
            assertThat(channel.alreadySent()).isEmpty();
            return channel.send(rows);
        }
    }

    private static Sink.Channel open(Sink sink) throws Exception {
        return sink.open(new Sink.Opening("test", "id", 0, 1, new FencingToken(1, 1), Map.of(), false));
    }

    private static Row row(long id, String topic, String key, String payload) {
        return new Row(
                id,
                0,
                topic,
                key,
                "Happened",
                payload.getBytes(StandardCharsets.UTF_8),
                Map.of("trace", "t-" + id),
                0,
                CREATED);
    }
}
