package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** What both ways of sending do: check a batch, then give all of it to a producer without waiting in between. */
record Sending(ClientProperties properties, RecordFormat format, Topics topics) {
    /** Acknowledgements that take longer may never come: the topic may be gone. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    Batch check(List<Row> rows, Producer<byte[], byte[]> producer)
            throws SinkUnavailableException, InterruptedException {
        Set<String> names = rows.stream().map(Row::topic).collect(Collectors.toSet());
        topics.look(names, producer);
        return Batch.check(rows, format, topics, properties.largestRequest());
    }

    /** Ends early when the producer takes nothing more. */
    void all(Batch batch, Producer<byte[], byte[]> producer, Acknowledgements acknowledgements) {
        for (int i = 0; i < batch.size(); i++) {
            ProducerRecord<byte[], byte[]> record = batch.next(i);
            if (record == null) {
                continue;
            }
            Exception failed = one(i, record, producer, acknowledgements);
            if (failed != null) {
                batch.failed(i, failed);
                if (KafkaFailure.ofRow(failed).isEmpty()) {
                    batch.holdFrom(i + 1);
                    return;
                }
            }
        }
    }

    /**
     * Waits for what becomes of a batch that was sent. A producer goes on for ever with a topic that was deleted meanwhile:
     * such a wait is ended, and the next check finds the topic missing.
     *
     * @return the failures by record; null when the wait was ended
     */
    @Nullable
    Exception @Nullable [] await(Batch batch, Acknowledgements acknowledgements)
            throws SinkUnavailableException, InterruptedException {
        acknowledgements.allSent();
        while (!acknowledgements.await(PATIENCE)) {
            if (topics.isAnyGone(batch.topics())) {
                throw new SinkUnavailableException("a topic was deleted while rows were being sent to it", false, null);
            }
        }
        return acknowledgements.failures();
    }

    /** Waits when Kafka does not say where the topic is, and when the producer's memory is full. */
    @Nullable
    Exception one(
            int i,
            ProducerRecord<byte[], byte[]> record,
            Producer<byte[], byte[]> producer,
            Acknowledgements acknowledgements) {
        var callback = acknowledgements.of(i);
        try {
            producer.send(record, callback);
        } catch (KafkaException | IllegalStateException failed) {
            acknowledgements.failed(i, failed);
        }
        return acknowledgements.failure(i);
    }
}
