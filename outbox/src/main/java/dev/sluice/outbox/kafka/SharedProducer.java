package dev.sluice.outbox.kafka;

import java.time.Duration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * One idempotent producer for all partitions of a relay, made when the first of them is opened, and anew when a failure was the end
 * of it.
 */
final class SharedProducer implements AutoCloseable {
    /** What was sent is given this long to be acknowledged, so that fewer rows are sent again. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final ClientProperties properties;
    private @Nullable Producer<byte[], byte[]> current;
    private boolean closed;

    SharedProducer(ClientProperties properties) {
        this.properties = properties;
    }

    synchronized Producer<byte[], byte[]> get() {
        if (closed) {
            throw new KafkaException("the connection to Kafka is closed");
        }
        if (current == null) {
            current = new KafkaProducer<>(properties.producer(), new ByteArraySerializer(), new ByteArraySerializer());
        }
        return current;
    }

    /** The next one asked for is another; what is under way at this one ends as failed. */
    void replace(Producer<byte[], byte[]> failing) {
        boolean was;
        synchronized (this) {
            was = failing.equals(current);
            current = was ? null : current;
        }
        if (was) {
            // Not here: closing waits for the producer's thread, which may wait for the caller.
            Thread.ofVirtual().name("outbox-producer-close").start(() -> failing.close(Duration.ZERO));
        }
    }

    @Override
    public void close() {
        Producer<byte[], byte[]> last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            last.close(PATIENCE);
        }
    }
}
