package dev.sluice.kafka;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The producer and, for probes and topics, the admin client, made when they are first needed: a broker's name that does not resolve
 * would fail them at once.
 */
final class KafkaClients implements AutoCloseable {
    private final String servers;
    private final KafkaDelivery settings;
    private final Topics topics = new Topics(this::admin, System::nanoTime);
    private @Nullable Producer<byte[], byte[]> producer;
    private @Nullable Admin admin;
    private boolean closed;

    KafkaClients(String servers, KafkaDelivery settings) {
        this.servers = servers;
        this.settings = settings;
    }

    /** The broker, or what is between, will not have this event whenever it is sent. */
    static boolean isTheEvent(Exception failed) {
        return failed instanceof RecordTooLargeException
                || failed instanceof RecordBatchTooLargeException
                || failed instanceof SerializationException
                || failed instanceof InvalidTopicException;
    }

    synchronized Producer<byte[], byte[]> producer() {
        requireOpen();
        if (producer == null) {
            producer = new KafkaProducer<>(
                    settings.producer(servers), new ByteArraySerializer(), new ByteArraySerializer());
        }
        return producer;
    }

    Topics topics() {
        return topics;
    }

    /** Asks the cluster for its nodes. */
    void reachBroker() throws InterruptedException {
        try {
            admin().describeCluster().nodes().get();
        } catch (ExecutionException failed) {
            throw new KafkaException(failed.getCause());
        }
    }

    private synchronized Admin admin() {
        requireOpen();
        if (admin == null) {
            admin = Admin.create(settings.admin(servers));
        }
        return admin;
    }

    private void requireOpen() {
        if (closed) {
            throw new KafkaException("the connection to Kafka is closed");
        }
    }

    /**
     * Some failures are the end of a producer (it is fenced, or may no longer write): the next attempt has a new one. What
     * is under way ends as failed.
     */
    void doubt(Producer<byte[], byte[]> failing, Exception failed) {
        if (isTheEndOfIt(failed) && forget(failing)) {
            Thread.ofVirtual().name("kafka-delivery-close").start(() -> failing.close(Duration.ZERO));
        }
    }

    private static boolean isTheEndOfIt(Exception failed) {
        return failed.getClass().equals(KafkaException.class)
                || failed instanceof IllegalStateException
                || failed instanceof ProducerFencedException
                || failed instanceof InvalidProducerEpochException
                || failed instanceof ClusterAuthorizationException
                || failed instanceof UnsupportedVersionException;
    }

    private synchronized boolean forget(Producer<byte[], byte[]> failing) {
        boolean current = failing.equals(producer);
        producer = current ? null : producer;
        return current;
    }

    /** Not under the lock: closing a producer waits for its thread, which may be here to doubt it. */
    @Override
    public void close() {
        Producer<byte[], byte[]> lastProducer;
        Admin lastAdmin;
        synchronized (this) {
            closed = true;
            lastProducer = producer;
            lastAdmin = admin;
            producer = null;
            admin = null;
        }
        if (lastProducer != null) {
            lastProducer.close(Duration.ZERO);
        }
        if (lastAdmin != null) {
            lastAdmin.close(Duration.ZERO);
        }
    }
}
