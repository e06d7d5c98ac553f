package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import java.util.List;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Sends all rows of a batch without waiting in between, then waits for all acknowledgements. The producer is idempotent and
 * never gives a record up by itself, so records of one key arrive in order, whatever the brokers do meanwhile; while
 * they are away, {@code send} waits.
 *
 * <p>A relay that lost its partition cannot take back what its producer has already been given: such records come again.
 * They cannot come for the first time out of order, since every sender sends the rows that are there from the first on.
 */
final class AtLeastOnceSink implements Sink {
    private final Sending sending;
    private final SharedProducer producers;

    AtLeastOnceSink(ClientProperties properties, RecordFormat format) {
        this.sending = new Sending(properties, format, new Topics(properties, System::nanoTime));
        this.producers = new SharedProducer(properties);
    }

    /** Makes what it sends by, so that the first batch does not wait for it. */
    @Override
    public Channel open(Opening opening) throws SinkUnavailableException {
        producer();
        return new PipelinedChannel();
    }

    private Producer<byte[], byte[]> producer() throws SinkUnavailableException {
        try {
            return producers.get();
        } catch (KafkaException failed) {
            throw Batch.unavailable(failed);
        }
    }

    @Override
    public void probe() throws SinkUnavailableException, InterruptedException {
        sending.topics().probe();
    }

    @Override
    public void close() {
        sending.topics().close();
        producers.close();
    }

    @Override
    public String toString() {
        return sending.properties().toString();
    }

    private final class PipelinedChannel implements Channel {
        private volatile boolean closed;
        private volatile @Nullable Acknowledgements waiting;

        @Override
        public List<Long> alreadySent() {
            return List.of();
        }

        @Override
        public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException, InterruptedException {
            Producer<byte[], byte[]> producer = producer();
            Batch batch = sending.check(rows, producer);
            Acknowledgements acknowledgements = new Acknowledgements(batch.size());
            waiting = acknowledgements;
            if (closed) {
                acknowledgements.abandon();
            }
            sending.all(batch, producer, acknowledgements);
            @Nullable Exception[] failures = acknowledged(batch, acknowledgements, producer);
            waiting = null;
            if (failures == null) {
                throw new SinkUnavailableException(
                        "the partition was given up while rows were being sent", false, null);
            }
            try {
                return batch.outcomes(failures);
            } catch (SinkUnavailableException failed) {
                if (!(failed.getCause() instanceof RetriableException)) {
                    producers.replace(producer);
                }
                throw failed;
            }
        }

        /** One that waits for a topic that is gone would also wait for it in the next batch: another one takes its place. */
        private @Nullable Exception @Nullable [] acknowledged(
                Batch batch, Acknowledgements acknowledgements, Producer<byte[], byte[]> producer)
                throws SinkUnavailableException, InterruptedException {
            try {
                return sending.await(batch, acknowledgements);
            } catch (SinkUnavailableException gone) {
                producers.replace(producer);
                throw gone;
            }
        }

        @Override
        public void removed() {
            // Nothing waits for it.
        }

        @Override
        public void close() {
            closed = true;
            Acknowledgements last = waiting;
            if (last != null) {
                last.abandon();
            }
        }
    }
}
