package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Every batch is one Kafka transaction, which also says, in the progress topic, which rows it sent. A new owner first ends the
 * transactions of the one before, then reads what was committed last and takes those rows out of the table before it sends
 * anything: for readers of committed records nothing comes twice and nothing out of order, whoever died when.
 */
final class ExactlyOnceSink implements Sink {
    private final ClientProperties properties;
    private final RecordFormat format;
    private final Topics topics;
    private final Predecessors predecessors = new Predecessors();
    private volatile boolean versionChecked;

    ExactlyOnceSink(ClientProperties properties, RecordFormat format) {
        this.properties = properties;
        this.format = format;
        this.topics = new Topics(properties, System::nanoTime);
    }

    @Override
    public boolean remembers() {
        return true;
    }

    @Override
    public Channel open(Opening opening) throws SinkUnavailableException, InterruptedException {
        try {
            Transactions transactions = new Transactions(topics.admin(), opening);
            if (!versionChecked) {
                transactions.requireVersion();
                versionChecked = true;
            }
            ProgressTopic progress = new ProgressTopic(properties, opening);
            progress.ensure(topics.admin(), opening.partitions());
            return open(
                    opening,
                    progress,
                    new KafkaProducer<>(
                            properties.producer(Transactions.id(opening)),
                            new ByteArraySerializer(),
                            new ByteArraySerializer()));
        } catch (KafkaException failed) {
            throw Batch.unavailable(failed);
        }
    }

    private Channel open(Opening opening, ProgressTopic progress, Producer<byte[], byte[]> producer)
            throws SinkUnavailableException, InterruptedException {
        boolean done = false;
        try {
            // From here on nothing of the owner before is committed any more; what it had committed is.
            producer.initTransactions();
            Optional<Progress> last = committed(opening, progress);
            List<ProgressTopic.Of> before =
                    opening.resumed() ? List.of() : predecessors.sent(topics.admin(), opening, progress);
            Recall recall = Recall.of(opening, progress.name(), last, before);
            TransactionalChannel channel = new TransactionalChannel(
                    new Sending(properties, format, topics), opening, progress, producer, recall);
            if (!opening.resumed()) {
                channel.begin(recall.own());
            }
            done = true;
            return channel;
        } finally {
            if (!done) {
                producer.close(Duration.ZERO);
            }
        }
    }

    /** What was sent last under this generation. */
    private Optional<Progress> committed(Opening opening, ProgressTopic progress)
            throws SinkUnavailableException, InterruptedException {
        Optional<Progress> last = progress.last(topics.admin());
        if (last.isEmpty() && opening.resumed()) {
            throw new SinkUnavailableException(
                    "Topic " + progress.name() + " has no record of partition " + opening.partition()
                            + ", though rows of it have been sent: which ones cannot be known, so nothing is sent. Restore the"
                            + " topic; or, if some rows may come twice, change the number of partitions, which begins anew.",
                    false,
                    null);
        }
        return last;
    }

    @Override
    public void probe() throws SinkUnavailableException, InterruptedException {
        topics.probe();
    }

    @Override
    public void close() {
        topics.close();
    }

    @Override
    public String toString() {
        return properties + ", exactly once";
    }
}
