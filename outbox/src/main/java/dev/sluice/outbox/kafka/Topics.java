package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.SinkUnavailableException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which topics there are, and how large a record each takes: asked before anything is sent, because the answer to a row that
 * was sent comes when later ones of its key are on their way already. An answer is good for a while; a topic that is not
 * there is asked for again sooner.
 */
final class Topics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Topics.class);
    private static final Duration GOOD_FOR = Duration.ofMinutes(2);
    private static final Duration MISSING_FOR = Duration.ofSeconds(2);
    private static final int PROBE_MS = 2_000;

    private final ClientProperties properties;
    private final LongSupplier nanos;
    private final Map<String, Known> known = new ConcurrentHashMap<>();
    private final Set<String> triedToCreate = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean warned = new AtomicBoolean();
    private @Nullable Admin admin;
    private boolean closed;

    /** @param refusal why nothing can be sent there; null when it can */
    private record Known(@Nullable SendOutcome refusal, long largestRecord, long until) {}

    Topics(ClientProperties properties, LongSupplier nanos) {
        this.properties = properties;
        this.nanos = nanos;
    }

    /** Makes sure that something is known of each. */
    void look(Collection<String> topics, Producer<byte[], byte[]> producer)
            throws SinkUnavailableException, InterruptedException {
        Set<String> unknown = new TreeSet<>();
        for (String topic : topics) {
            Known entry = known.get(topic);
            if (entry == null || entry.until - nanos.getAsLong() < 0) {
                unknown.add(topic);
            }
        }
        if (!unknown.isEmpty()) {
            ask(unknown, producer);
        }
    }

    private void ask(Set<String> topics, Producer<byte[], byte[]> producer)
            throws SinkUnavailableException, InterruptedException {
        try {
            var answers = admin().describeTopics(topics).topicNameValues();
            for (String topic : topics) {
                known.put(topic, ask(topic, answers.get(topic), producer));
            }
        } catch (KafkaException away) {
            throw unavailable(away);
        }
    }

    private Known ask(String topic, @Nullable KafkaFuture<?> answer, Producer<byte[], byte[]> producer)
            throws SinkUnavailableException, InterruptedException {
        try {
            if (answer != null) {
                answer.get();
            }
            return new Known(null, largestRecord(topic), nanos.getAsLong() + GOOD_FOR.toNanos());
        } catch (ExecutionException failed) {
            Exception cause = KafkaFailure.cause(failed);
            SendOutcome refusal = KafkaFailure.ofRow(cause).orElse(null);
            if (refusal == null) {
                Known last = known.get(topic);
                if (last != null && last.refusal == null) {
                    return last;
                }
                throw unavailable(cause);
            }
            return refusal instanceof SendOutcome.Blocked && triedToCreate.add(topic)
                    ? askProducer(topic, refusal, producer)
                    : missing(refusal);
        }
    }

    /** Looks again, whatever was known: whether one is not there any more. Brokers that do not answer say nothing. */
    boolean isAnyGone(Collection<String> topics) throws InterruptedException {
        boolean gone = false;
        try {
            for (var answer : admin().describeTopics(topics).topicNameValues().entrySet()) {
                gone |= isGone(answer.getKey(), answer.getValue());
            }
        } catch (KafkaException away) {
            return false;
        }
        return gone;
    }

    private boolean isGone(String topic, KafkaFuture<?> answer) throws InterruptedException {
        try {
            answer.get();
            return false;
        } catch (ExecutionException failed) {
            if (!(failed.getCause() instanceof UnknownTopicOrPartitionException missing)) {
                return false;
            }
            known.put(topic, missing(new SendOutcome.Blocked(KafkaFailure.reason(missing))));
            return true;
        }
    }

    /** The brokers may create a topic that a producer asks for. It is asked once: it waits long for one that never comes. */
    private Known askProducer(String topic, SendOutcome refusal, Producer<byte[], byte[]> producer)
            throws InterruptedException, SinkUnavailableException {
        try {
            producer.partitionsFor(topic);
            return new Known(null, largestRecord(topic), nanos.getAsLong() + GOOD_FOR.toNanos());
        } catch (TimeoutException neverCame) {
            return missing(refusal);
        } catch (KafkaException failed) {
            return missing(KafkaFailure.ofRow(failed).orElse(refusal));
        }
    }

    private Known missing(SendOutcome refusal) {
        return new Known(refusal, 0, nanos.getAsLong() + MISSING_FOR.toNanos());
    }

    /** A compressed record may be smaller than it looks: only the broker can tell. */
    private long largestRecord(String topic) throws InterruptedException, SinkUnavailableException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            Config config =
                    admin().describeConfigs(List.of(resource)).all().get().get(resource);
            if (config == null) {
                return Long.MAX_VALUE;
            }
            warnOfOneReplica(topic, config);
            ConfigEntry limit = config.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
            return limit == null || properties.compresses() ? Long.MAX_VALUE : Long.parseLong(limit.value());
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof AuthorizationException
                    || KafkaFailure.ofRow(KafkaFailure.cause(failed)).isPresent()) {
                return Long.MAX_VALUE;
            }
            throw unavailable(KafkaFailure.cause(failed));
        }
    }

    /** Of the first one only: where it is so it is so everywhere. */
    private void warnOfOneReplica(String topic, Config config) {
        ConfigEntry least = config.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
        if (least != null && "1".equals(least.value()) && warned.compareAndSet(false, true)) {
            LOG.warn(
                    "topic {} acknowledges what one replica has (min.insync.replicas=1): rows are deleted then, and a message"
                            + " may be lost with one broker; give it, and others like it, 3 replicas and"
                            + " min.insync.replicas=2",
                    topic);
        }
    }

    /** Why nothing can be sent to a topic that was looked at. */
    Optional<SendOutcome> refusal(String topic) {
        Known entry = known.get(topic);
        return entry == null ? Optional.empty() : Optional.ofNullable(entry.refusal);
    }

    long largest(String topic) {
        Known entry = known.get(topic);
        return entry == null ? Long.MAX_VALUE : entry.largestRecord;
    }

    /** Whether the brokers answer at all. */
    void probe() throws SinkUnavailableException, InterruptedException {
        try {
            admin().describeCluster(new DescribeClusterOptions().timeoutMs(PROBE_MS))
                    .clusterId()
                    .get();
        } catch (ExecutionException failed) {
            throw silent(KafkaFailure.cause(failed));
        } catch (KafkaException failed) {
            throw silent(failed);
        }
    }

    private SinkUnavailableException silent(Exception cause) {
        return new SinkUnavailableException("Kafka does not answer: " + reason(cause), false, cause);
    }

    private String reason(Exception cause) {
        return Reachability.reason(cause, properties.bootstrapServers());
    }

    synchronized Admin admin() {
        if (closed) {
            throw new KafkaException("the connection to Kafka is closed");
        }
        if (admin == null) {
            admin = Admin.create(properties.admin());
        }
        return admin;
    }

    private SinkUnavailableException unavailable(Exception cause) {
        return new SinkUnavailableException("Kafka does not say which topics it has: " + reason(cause), false, cause);
    }

    @Override
    public void close() {
        Admin last;
        synchronized (this) {
            closed = true;
            last = admin;
            admin = null;
        }
        if (last != null) {
            last.close(Duration.ZERO);
        }
    }
}
