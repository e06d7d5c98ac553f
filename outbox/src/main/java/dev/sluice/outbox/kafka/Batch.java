package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one send as records, checked: what Kafka would not take, and what stands behind such a row of the same key, has
 * its outcome before anything is sent.
 */
final class Batch {
    private final List<Row> rows;
    private final @Nullable SendOutcome[] outcomes;
    private final @Nullable ProducerRecord<byte[], byte[]>[] records;
    private final Set<String> held = new HashSet<>();
    private final Map<String, SendOutcome.Blocked> blocked = new HashMap<>();

    private Batch(List<Row> rows) {
        this.rows = rows;
        this.outcomes = new SendOutcome[rows.size()];
        this.records = records(rows.size());
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static @Nullable ProducerRecord<byte[], byte[]>[] records(int size) {
        return new ProducerRecord[size];
    }

    static Batch check(List<Row> rows, RecordFormat format, Topics topics, long largestRequest) {
        Batch batch = new Batch(rows);
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            ProducerRecord<byte[], byte[]> record = format.record(row);
            batch.records[i] = record;
            batch.outcomes[i] = refusal(record, topics, largestRequest).orElse(null);
        }
        return batch;
    }

    private static Optional<SendOutcome> refusal(
            ProducerRecord<byte[], byte[]> record, Topics topics, long largestRequest) {
        Optional<SendOutcome> refusal = topics.refusal(record.topic());
        if (refusal.isPresent()) {
            return refusal;
        }
        long bytes = RecordSize.inProducer(record);
        if (bytes > largestRequest) {
            return Optional.of(new SendOutcome.Refused("the record has " + bytes + " bytes, the producer sends at most "
                    + largestRequest + " (max.request.size)"));
        }
        long atBroker = RecordSize.inBroker(record);
        return atBroker > topics.largest(record.topic())
                ? Optional.of(new SendOutcome.Refused("the record has " + atBroker + " bytes, topic " + record.topic()
                        + " takes at most " + topics.largest(record.topic()) + " (max.message.bytes)"))
                : Optional.empty();
    }

    int size() {
        return rows.size();
    }

    /** Those that rows were sent to; not of rows that had their outcome before. */
    Set<String> topics() {
        Set<String> topics = new HashSet<>();
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] == null) {
                topics.add(rows.get(i).topic());
            }
        }
        return topics;
    }

    /** The record to send now, asked for in order; null when its outcome is known already. */
    @Nullable
    ProducerRecord<byte[], byte[]> next(int i) {
        Row row = rows.get(i);
        SendOutcome known = outcomes[i] == null ? blocked.get(row.topic()) : outcomes[i];
        if (known == null && held.contains(row.key())) {
            known = new SendOutcome.Held();
        } else if (known != null && !(known instanceof SendOutcome.Blocked)) {
            held.add(row.key());
        }
        outcomes[i] = known;
        return known == null ? records[i] : null;
    }

    /** It could not be sent: neither are later rows of its key, or of its topic. */
    void failed(int i, Exception failure) {
        Row row = rows.get(i);
        if (KafkaFailure.ofRow(failure).orElse(null) instanceof SendOutcome.Blocked takesNothing) {
            blocked.put(row.topic(), takesNothing);
        } else {
            held.add(row.key());
        }
    }

    /** Nothing from here on is sent. */
    void holdFrom(int first) {
        for (int i = first; i < outcomes.length; i++) {
            if (outcomes[i] == null) {
                outcomes[i] = new SendOutcome.Held();
            }
        }
    }

    /**
     * Puts the failures, by row, beside what was known; a row without either was sent. One that the producer did not take
     * in, because it waited in vain for room or for the brokers, is held, and so was all behind it.
     */
    List<SendOutcome> outcomes(@Nullable Exception[] failures) throws SinkUnavailableException {
        SinkUnavailableException waitedInVain = null;
        boolean anySent = false;
        for (int i = 0; i < outcomes.length; i++) {
            Exception failed = failures[i];
            if (failed instanceof RetriableException) {
                waitedInVain = unavailable(failed);
                outcomes[i] = new SendOutcome.Held();
            } else if (failed != null) {
                outcomes[i] = KafkaFailure.ofRow(failed).orElseThrow(() -> unavailable(failed));
            } else if (outcomes[i] == null) {
                outcomes[i] = SendOutcome.SENT;
                anySent = true;
            }
        }
        if (waitedInVain != null && !anySent) {
            throw waitedInVain;
        }
        return new ArrayList<>(Arrays.asList(outcomes));
    }

    static boolean isAnyFailed(@Nullable Exception[] failures) {
        return Arrays.stream(failures).anyMatch(failed -> failed != null);
    }

    /** The ids of all rows that were given to the producer. */
    List<Long> sending() {
        List<Long> ids = new ArrayList<>(rows.size());
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] == null) {
                ids.add(rows.get(i).id());
            }
        }
        return ids;
    }

    /**
     * After nothing of it was sent, because some row failed: that one has its outcome, what stands behind it will be held,
     * and all others are to be sent again. The producer gives the failure of one row to others too that it had not sent yet:
     * only the first to fail is to blame; or its topic, and then all rows of it wait.
     *
     * @param first the first row that failed by itself; negative when none did
     */
    void without(@Nullable Exception[] failures, int first) throws SinkUnavailableException {
        Exception cause = first < 0 || first >= outcomes.length ? null : failures[first];
        SendOutcome outcome = cause == null ? null : KafkaFailure.ofRow(cause).orElse(null);
        if (cause == null || outcome == null) {
            throw unavailable(firstOf(failures));
        }
        held.clear();
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] instanceof SendOutcome.Held) {
                outcomes[i] = null;
            }
        }
        if (outcome instanceof SendOutcome.Blocked takesNothing) {
            block(topicsOf(cause, first), takesNothing, cause);
        } else {
            outcomes[first] = outcome;
        }
    }

    /** Those that the failure names: a row may be told of another's. */
    private Set<String> topicsOf(Exception cause, int first) {
        return cause instanceof TopicAuthorizationException forbidden
                        && !forbidden.unauthorizedTopics().isEmpty()
                ? forbidden.unauthorizedTopics()
                : Set.of(rows.get(first).topic());
    }

    private void block(Set<String> topics, SendOutcome.Blocked takesNothing, Exception cause)
            throws SinkUnavailableException {
        boolean any = false;
        for (int i = 0; i < outcomes.length; i++) {
            if (outcomes[i] == null && topics.contains(rows.get(i).topic())) {
                outcomes[i] = takesNothing;
                any = true;
            }
        }
        if (!any) {
            throw unavailable(cause);
        }
    }

    private static Exception firstOf(@Nullable Exception[] failures) {
        for (Exception failed : failures) {
            if (failed != null) {
                return failed;
            }
        }
        return new KafkaException("the transaction was not taken");
    }

    /** After all of it was sent that was to be sent. */
    List<SendOutcome> outcomes() {
        List<SendOutcome> all = new ArrayList<>(outcomes.length);
        for (SendOutcome outcome : outcomes) {
            all.add(outcome == null ? SendOutcome.SENT : outcome);
        }
        return all;
    }

    static SinkUnavailableException unavailable(Exception failed) {
        return new SinkUnavailableException(
                "Kafka did not take the rows: " + KafkaFailure.reason(failed), KafkaFailure.isFenced(failed), failed);
    }
}
