package dev.sluice.outbox.kafka;

import static dev.sluice.outbox.kafka.TestTopic.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.relay.DeadLetterTopic;
import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import dev.sluice.testkit.servers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExactlyOnceSinkTest {
    private final TestTopic topic = TestTopic.create(1);
    private final String outbox = topic.name();
    private final Sink sink = KafkaSinks.exactlyOnce(topic.producer());
    private final Map<Integer, Long> finished = new HashMap<>();

    @AfterEach
    void close() {
        sink.close();
    }

    @Test
    void theNextOwnerLearnsWhatTheLastOneCommitted() throws Exception {
        try (Sink.Channel first = open(1, 1, 0, false)) {
            assertThat(first.alreadySent()).isEmpty();
            assertThat(first.send(rows(1, 2, 3))).containsOnly(SendOutcome.SENT);
            finish(first, 0);
            assertThat(first.send(rows(4, 5))).containsOnly(SendOutcome.SENT);
        }
        try (Sink.Channel heir = open(1, 2, 0, true)) {
            assertThat(heir.alreadySent()).containsExactly(4L, 5L);
        }
        assertThat(visible()).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void nothingIsSentWhileTheRowsOfTheLastTransactionAreInTheTable() throws Exception {
        try (Sink.Channel channel = open(1, 1, 0, false)) {
            channel.send(rows(1));
            assertThatThrownBy(() -> channel.send(rows(2))).isInstanceOf(IllegalStateException.class);
            channel.removed();
            channel.send(rows(2));
        }
        assertThat(visible()).containsExactly("1", "2");
    }

    @Test
    void anOwnerThatWasReplacedSendsNothingVisible() throws Exception {
        try (Sink.Channel old = open(1, 1, 0, false);
                Sink.Channel heir = open(1, 2, 0, true)) {
            assertThatThrownBy(() -> old.send(rows(1)))
                    .asInstanceOf(type(SinkUnavailableException.class))
                    .returns(true, SinkUnavailableException::isFenced);
            heir.send(rows(1));
        }
        assertThat(visible()).containsExactly("1");
    }

    @Test
    void anotherNumberOfPartitionsEndsTheSendersOfTheOldAndKnowsWhatTheySent() throws Exception {
        try (Sink.Channel old = open(1, 1, 3, false);
                Sink.Channel other = open(1, 1, 1, false)) {
            old.send(rows(1, 2));
            other.send(rows(7));
            try (Sink.Channel heir = open(2, 1, 0, false)) {
                assertThat(heir.alreadySent()).contains(1L, 2L, 7L);
                old.removed();
                assertThatThrownBy(() -> old.send(rows(3))).isInstanceOf(SinkUnavailableException.class);
            }
            // Whether that one deleted them is not known before it is said that the partition was opened.
            try (Sink.Channel next = open(2, 2, 0, false)) {
                assertThat(next.alreadySent()).contains(1L, 2L, 7L);
            }
            try (Sink.Channel last = open(2, 3, 0, true)) {
                assertThat(last.alreadySent())
                        .as("its own alone: all together may be too many")
                        .isEmpty();
                last.send(rows(3));
            }
        }
        assertThat(visible()).containsExactlyInAnyOrder("1", "2", "7", "3");
    }

    @Test
    void aMemoryThatWasLostIsSaidAndNothingIsSent() throws Exception {
        open(1, 1, 0, false).close();
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", topic.broker().url()))) {
            admin.deleteTopics(List.of(outbox + "-outbox-progress")).all().get();
        }
        assertThatThrownBy(() -> open(1, 2, 0, true))
                .isInstanceOf(SinkUnavailableException.class)
                .hasMessageContaining("cannot be known")
                .hasMessageContaining(outbox + "-outbox-progress");
    }

    @Test
    void aRowThatOnlyTheBrokerRefusesIsNamedAndAllOthersAreSent() throws Exception {
        TestTopic small = TestTopic.create(KafkaServer.shared(), 1, Map.of("max.message.bytes", "1000"));
        Map<String, Object> compressing = new HashMap<>(small.producer());
        // What a compressed record weighs nobody knows before; random bytes do not shrink.
        compressing.put("compression.type", "gzip");
        byte[] noise = new byte[2_000];
        new java.util.Random(1).nextBytes(noise);
        List<Row> batch = List.of(
                row(1, small.name(), "good", "1".getBytes(StandardCharsets.UTF_8)),
                row(2, small.name(), "bad", noise),
                row(3, small.name(), "good", "3".getBytes(StandardCharsets.UTF_8)),
                row(4, small.name(), "later", "4".getBytes(StandardCharsets.UTF_8)),
                row(5, small.name(), "later", noise),
                row(6, small.name(), "later", "6".getBytes(StandardCharsets.UTF_8)));
        try (Sink zipped = KafkaSinks.exactlyOnce(compressing);
                Sink.Channel channel = zipped.open(
                        new Sink.Opening(small.name(), "id", 0, 1, new FencingToken(1, 1), Map.of(), false))) {
            List<SendOutcome> outcomes = channel.send(batch);
            assertThat(outcomes)
                    .extracting(outcome -> outcome.getClass().getSimpleName())
                    .containsExactly("Sent", "Refused", "Sent", "Sent", "Refused", "Held");
            assertThat(small.records())
                    .extracting(record -> text(record.value()))
                    .containsExactly("1", "3", "4");
            channel.removed();
            assertThat(channel.send(batch.subList(5, 6))).containsExactly(SendOutcome.SENT);
        }
    }

    /** The producer ends with the same failure what it had not sent yet when a row failed. */
    @Test
    void onlyTheFirstRowToFailIsToBlame() throws Exception {
        RecordTooLargeException shared = new RecordTooLargeException("too large");
        try (Topics topics = new Topics(new ClientProperties(topic.producer()), System::nanoTime)) {
            Batch batch = Batch.check(rows(1, 2, 3), RecordFormat.PLAIN, topics, Long.MAX_VALUE);
            Acknowledgements acknowledgements = new Acknowledgements(3);
            for (int row : List.of(1, 0, 2)) {
                acknowledgements.of(row).onCompletion(null, shared);
            }
            acknowledgements.allSent();
            batch.without(acknowledgements.failures(), acknowledgements.firstToBlame());
            assertThat(batch.sending()).containsExactly(1L, 3L);
            assertThat(batch.next(0)).isNotNull();
            assertThat(batch.next(1)).isNull();
            assertThat(batch.next(2)).as("it stands behind the second").isNull();
        }
    }

    /** Brokers name the topic; the producer gives the failure to rows of other topics in the transaction too. */
    @Test
    void aTopicThatMayNotBeWrittenBlocksAllItsRowsAtOnceAndNoOthers() throws Exception {
        TopicAuthorizationException denied = new TopicAuthorizationException(Set.of("denied"));
        byte[] payload = {1};
        List<Row> mixed =
                List.of(row(1, "orders", "a", payload), row(2, "denied", "a", payload), row(3, "denied", "b", payload));
        try (Topics topics = new Topics(new ClientProperties(topic.producer()), System::nanoTime)) {
            Batch batch = Batch.check(mixed, RecordFormat.PLAIN, topics, Long.MAX_VALUE);
            batch.without(new Exception[] {denied, denied, denied, denied}, 0);
            assertThat(batch.sending()).containsExactly(1L);
            assertThat(batch.next(0)).isNotNull();
            assertThat(batch.outcomes())
                    .extracting(outcome -> outcome.getClass().getSimpleName())
                    .containsExactly("Sent", "Blocked", "Blocked");
            assertThatThrownBy(() -> batch.without(new Exception[] {denied, null, null, denied}, 0))
                    .as("it ends: the topic is none of those that are left")
                    .isInstanceOf(SinkUnavailableException.class);
        }
    }

    @Test
    void anotherDatabaseUnderTheSameNameNeitherShutsOutNorDeletes() throws Exception {
        try (Sink.Channel first = open(1, 1, 0, false)) {
            first.send(rows(1, 2, 3));
            for (int partition : List.of(0, 5)) {
                assertThatThrownBy(() -> sink.open(new Sink.Opening(
                                outbox, "other", partition, 6, new FencingToken(1, 1), Map.of(), false)))
                        .isInstanceOf(SinkUnavailableException.class)
                        .hasMessageContaining("another name");
            }
            first.removed();
            assertThat(first.send(rows(4))).containsOnly(SendOutcome.SENT);
        }
    }

    @Test
    void aDatabaseThatWasRestoredIsToldSo() throws Exception {
        try (Sink.Channel first = open(2, 7, 0, false)) {
            first.send(rows(1));
        }
        for (FencingToken restored : List.of(new FencingToken(2, 6), new FencingToken(1, 9))) {
            assertThatThrownBy(() -> open(restored.generation(), restored.epoch(), 0, true))
                    .isInstanceOf(SinkUnavailableException.class)
                    .hasMessageContaining("2.7")
                    .hasMessageContaining("restored");
        }
    }

    /** Every claim raises the epoch: a restored table's next owner has no older one, its batches are what tells. */
    @Test
    void aTableThatIsNotTheOneThatWasSentFromIsRecognisedByItsLastBatch() throws Exception {
        try (Sink.Channel first = open(1, 7, 0, false)) {
            for (int batch = 1; batch <= 3; batch++) {
                first.send(rows(batch));
                finish(first, 0);
            }
        }
        assertThat(finished).containsEntry(0, 3L);
        finished.put(0, 1L);
        assertThatThrownBy(() -> open(1, 8, 0, true)).hasMessageContaining("restored");
        finished.put(0, 4L);
        assertThatThrownBy(() -> open(1, 9, 0, true)).hasMessageContaining("have lost");
        finished.put(0, 2L);
        try (Sink.Channel behind = open(1, 10, 0, true)) {
            assertThat(behind.alreadySent()).containsExactly(3L);
            assertThat(behind.batch()).hasValue(3);
        }
        finished.put(0, 3L);
        try (Sink.Channel level = open(1, 11, 0, true)) {
            assertThat(level.alreadySent())
                    .as("the same id may be another row by now")
                    .isEmpty();
            level.send(rows(4));
            assertThat(level.batch()).hasValue(4);
        }
        finished.put(0, 1L);
        assertThatThrownBy(() -> open(2, 1, 4, false)).hasMessageContaining("restored");
        finished.put(0, 3L);
        try (Sink.Channel wider = open(2, 1, 0, false)) {
            assertThat(wider.alreadySent()).containsExactly(4L);
            finish(wider, 0);
            wider.send(rows(5));
            assertThat(wider.batch()).as("it counts on").hasValue(5);
        }
    }

    @Test
    void aRecordOfBeforeBatchesHadNumbersIsBelieved() throws Exception {
        open(1, 1, 0, false).close();
        try (var old = new KafkaProducer<>(topic.producer(), new ByteArraySerializer(), new ByteArraySerializer())) {
            byte[] record = "{\"outbox\":\"id\",\"epoch\":\"1.1\",\"ids\":\"1-2\"}".getBytes(StandardCharsets.UTF_8);
            old.send(new ProducerRecord<>(outbox + "-outbox-progress", 0, new byte[] {'1'}, record))
                    .get();
        }
        try (Sink.Channel heir = open(1, 2, 0, true)) {
            assertThat(heir.alreadySent()).containsExactly(1L, 2L);
            finish(heir, 0);
            heir.send(rows(3));
            assertThat(heir.batch()).hasValue(1);
        }
    }

    @Test
    void copiesOfDeadRowsAreMessagesOfTheirOwnAndNoBatches() throws Exception {
        Sink copying = new DeadLetterTopic(sink, topic.name());
        try (Sink.Channel channel = copying.open(opening(1, 1, 0, false))) {
            channel.send(rows(1));
            finish(channel, 0);
            for (Row row : rows(2, 3)) {
                channel.buried(row, "too large", 1);
            }
            assertThat(channel.batch()).hasValue(1);
        }
        try (Sink.Channel heir = open(1, 2, 0, true)) {
            assertThat(heir.alreadySent()).isEmpty();
        }
        assertThat(visible()).containsExactly("1", "2", "3");
        assertThat(topic.records())
                .extracting(record -> TestTopic.header(record, RecordFormat.ID))
                .doesNotHaveDuplicates()
                .doesNotContain("0");
    }

    @Test
    void whatAnOpenTransactionHidesIsWaitedFor() throws Exception {
        open(1, 1, 0, false).close();
        Map<String, Object> woken = new HashMap<>(topic.producer());
        woken.put("transactional.id", outbox + "-woken");
        try (var older = new KafkaProducer<>(woken, new ByteArraySerializer(), new ByteArraySerializer())) {
            older.initTransactions();
            older.beginTransaction();
            older.send(new ProducerRecord<>(outbox + "-outbox-progress", 0, new byte[1], new byte[1]))
                    .get();
            assertThatThrownBy(() -> open(1, 2, 0, true))
                    .isInstanceOf(SinkUnavailableException.class)
                    .hasMessageContaining("still open");
            older.abortTransaction();
        }
        open(1, 3, 0, true).close();
    }

    @Test
    void progressIsReadableAndRoundTrips() {
        Progress progress =
                new Progress("9c", new FencingToken(3, 12), OptionalLong.of(7), List.of(5L, 1L, 2L, 3L, 9L, 10L));
        assertThat(new String(progress.toBytes(), StandardCharsets.UTF_8))
                .isEqualTo("{\"outbox\":\"9c\",\"epoch\":\"3.12\",\"batch\":7,\"ids\":\"1-3,5,9-10\"}");
        assertThat(Progress.of(progress.toBytes()).ids()).containsExactly(1L, 2L, 3L, 5L, 9L, 10L);
        assertThat(Progress.of(progress.toBytes()).batch()).hasValue(7);
        Progress none = new Progress("9c", new FencingToken(1, 1), OptionalLong.empty(), List.of());
        assertThat(Progress.of(none.toBytes())).isEqualTo(none);
    }

    private Sink.Channel open(long generation, long epoch, int partition, boolean resumed) throws Exception {
        return sink.open(opening(generation, epoch, partition, resumed));
    }

    private Sink.Opening opening(long generation, long epoch, int partition, boolean resumed) {
        return new Sink.Opening(
                outbox, "id", partition, 6, new FencingToken(generation, epoch), Map.copyOf(finished), resumed);
    }

    /** As the relay does it: the rows are gone, and the table knows the number of their batch. */
    private void finish(Sink.Channel channel, int partition) {
        finished.put(partition, channel.batch().getAsLong());
        channel.removed();
    }

    private List<String> visible() {
        return topic.records().stream().map(record -> text(record.value())).toList();
    }

    private List<Row> rows(long... ids) {
        return Arrays.stream(ids)
                .mapToObj(id -> row(id, topic.name(), "key", Long.toString(id).getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private static Row row(long id, String topic, String key, byte[] payload) {
        return new Row(id, 0, topic, key, "", payload, Map.of(), 0, Instant.EPOCH);
    }
}
