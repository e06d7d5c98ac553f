package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition's transactions, one after the other. The next is not begun before the rows of the last are gone from the
 * table: only the last one's are remembered.
 */
final class TransactionalChannel implements Sink.Channel {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionalChannel.class);

    private final Sending sending;
    private final Sink.Opening opening;
    private final ProgressTopic progress;
    private final Producer<byte[], byte[]> producer;
    private final List<Long> alreadySent;
    private volatile boolean closed;
    private boolean inTable;
    private long number;

    TransactionalChannel(
            Sending sending,
            Sink.Opening opening,
            ProgressTopic progress,
            Producer<byte[], byte[]> producer,
            Recall recall) {
        this.sending = sending;
        this.opening = opening;
        this.progress = progress;
        this.producer = producer;
        this.alreadySent = recall.all();
        this.number = recall.batch();
        this.inTable = !alreadySent.isEmpty();
    }

    /**
     * Leaves a first record, so that who comes next can tell an empty memory from a lost one.
     *
     * @param own what is out already of this generation; that of older ones is read again until this record is known of
     */
    void begin(List<Long> own) throws SinkUnavailableException {
        try {
            Acknowledgements acknowledgements = new Acknowledgements(1);
            producer.beginTransaction();
            remember(number, own, 0, acknowledgements);
            commit();
        } catch (KafkaException failed) {
            throw Batch.unavailable(failed);
        }
    }

    @Override
    public List<Long> alreadySent() {
        return alreadySent;
    }

    @Override
    public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException, InterruptedException {
        if (inTable) {
            throw new IllegalStateException("the rows sent last are still in the table: " + opening);
        }
        Batch batch = sending.check(rows, producer);
        try {
            // It ends: every transaction that is undone settles at least one row more.
            while (!isCommitted(batch)) {
                LOG.debug("{} sends once more, without the rows that failed", opening);
            }
            return batch.outcomes();
        } catch (KafkaException | IllegalStateException failed) {
            throw Batch.unavailable(failed);
        }
    }

    /** Of a transaction in which one row failed nothing is sent: the others are, without it, in the next one. */
    private boolean isCommitted(Batch batch) throws SinkUnavailableException, InterruptedException {
        Acknowledgements acknowledgements = new Acknowledgements(batch.size() + 1);
        producer.beginTransaction();
        sending.all(batch, producer, acknowledgements);
        List<Long> ids = batch.sending().stream().filter(id -> id != Row.NONE).toList();
        // Without any the table is not told of a batch, and must not miss one.
        long next = ids.isEmpty() ? number : number + 1;
        remember(next, ids, batch.size(), acknowledgements);
        @Nullable Exception[] failures = sending.await(batch, acknowledgements);
        if (failures == null) {
            throw new KafkaException("the partition was given up");
        }
        if (Batch.isAnyFailed(failures)) {
            producer.abortTransaction();
            batch.without(failures, acknowledgements.firstToBlame());
            return false;
        }
        commit();
        number = next;
        inTable = !ids.isEmpty();
        return true;
    }

    private void remember(long batch, List<Long> ids, int place, Acknowledgements acknowledgements) {
        sending.one(place, progress.record(batch, ids), producer, acknowledgements);
    }

    /** While the brokers are away it is asked again: a commit that was sent may have happened. */
    private void commit() {
        while (true) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException undecided) {
                if (closed) {
                    throw undecided;
                }
            }
        }
    }

    @Override
    public OptionalLong batch() {
        return OptionalLong.of(number);
    }

    @Override
    public void removed() {
        inTable = false;
    }

    /** What is under way is undone, or done: the next owner finds out. */
    @Override
    public void close() {
        closed = true;
        producer.close(Duration.ZERO);
    }
}
