package dev.sluice.kafka;

import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Which topics there are, and how many partitions each has: looked up before anything is sent. A producer blocks for each
 * topic that it cannot find, and the events of all other topics in the batch would have no time left. An answer is good for a
 * while; a missing topic is looked up again sooner.
 */
final class Topics {
    private static final Duration GOOD_FOR = Duration.ofMinutes(2);
    private static final Duration MISSING_FOR = Duration.ofSeconds(1);

    private final Supplier<Admin> admin;
    private final LongSupplier nanos;
    private final Map<String, Known> known = new ConcurrentHashMap<>();
    private final Set<String> waitedFor = ConcurrentHashMap.newKeySet();

    /** What the brokers say of a topic. */
    sealed interface Topic {
        record Present(int partitions) implements Topic {}

        /** Nothing can be sent there now; the events of other topics do not suffer. */
        record Blocked(EventOutcome outcome) implements Topic {}
    }

    private record Known(Topic topic, long until) {}

    Topics(Supplier<Admin> admin, LongSupplier nanos) {
        this.admin = admin;
        this.nanos = nanos;
    }

    /**
     * Returns what is known of each.
     *
     * @param producer the brokers may create a topic that a producer asks for
     * @throws KafkaException when the brokers do not answer
     */
    Map<String, Topic> look(Set<String> names, Producer<byte[], byte[]> producer, Duration within)
            throws InterruptedException {
        Set<String> unknown = new TreeSet<>();
        for (String name : names) {
            Known entry = known.get(name);
            if (entry == null || entry.until - nanos.getAsLong() < 0) {
                unknown.add(name);
            }
        }
        if (!unknown.isEmpty()) {
            ask(unknown, producer, within);
        }
        Map<String, Topic> all = new HashMap<>();
        names.forEach(name -> all.put(name, stateOf(name)));
        return all;
    }

    private Topic stateOf(String name) {
        Known entry = known.get(name);
        return entry == null ? missing(name) : entry.topic;
    }

    private void ask(Set<String> names, Producer<byte[], byte[]> producer, Duration within)
            throws InterruptedException {
        long deadline = nanos.getAsLong() + within.toNanos();
        var options = new DescribeTopicsOptions().timeoutMs(millis(within));
        var answers = admin.get().describeTopics(names, options).topicNameValues();
        List<CompletableFuture<Void>> firstTimes = new ArrayList<>();
        for (var answer : answers.entrySet()) {
            String name = answer.getKey();
            Topic topic = topic(name, answer.getValue());
            remember(name, topic);
            if (topic instanceof Topic.Blocked) {
                CompletableFuture<Void> creation = askProducer(name, producer);
                if (waitedFor.add(name)) {
                    firstTimes.add(creation);
                }
            }
        }
        await(CompletableFuture.allOf(firstTimes.toArray(CompletableFuture[]::new)), deadline);
    }

    private Topic topic(String name, KafkaFuture<TopicDescription> answer) throws InterruptedException {
        try {
            return new Topic.Present(answer.get().partitions().size());
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof UnknownTopicOrPartitionException) {
                return missing(name);
            }
            if (cause instanceof InvalidTopicException) {
                return new Topic.Blocked(new EventOutcome.Rejected(Reason.of(cause)));
            }
            if (cause instanceof TopicAuthorizationException) {
                return new Topic.Blocked(
                        new EventOutcome.RetryLater("this Streamer may not write to topic " + name + ": allow it"));
            }
            throw new KafkaException("Kafka does not say which topics it has: " + Reason.of(failed), cause);
        }
    }

    private static Topic missing(String name) {
        return new Topic.Blocked(new EventOutcome.RetryLater("there is no topic " + name + ": create it"));
    }

    private void remember(String name, Topic topic) {
        Duration goodFor = topic instanceof Topic.Present ? GOOD_FOR : MISSING_FOR;
        known.put(name, new Known(topic, nanos.getAsLong() + goodFor.toNanos()));
    }

    /** It blocks for a topic that does not come: so it is asked on a thread of its own. */
    private CompletableFuture<Void> askProducer(String name, Producer<byte[], byte[]> producer) {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        Thread.ofVirtual().name("kafka-topic-" + name).start(() -> {
            try {
                remember(name, new Topic.Present(producer.partitionsFor(name).size()));
            } catch (RuntimeException stillMissing) {
                // As it was told: the next lookup finds out whether somebody has created it.
            } finally {
                asked.complete(null);
            }
        });
        return asked;
    }

    private void await(CompletableFuture<Void> all, long deadline) throws InterruptedException {
        try {
            all.get(Math.max(0, deadline - nanos.getAsLong()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException notYet) {
            // Such topics are missing for now.
        }
    }

    /** Something could not be sent there: it is looked up before anything else is. */
    void doubt(String name) {
        known.remove(name);
    }

    /** All that the brokers show us. */
    Set<String> names(Duration within) throws InterruptedException {
        try {
            return admin.get()
                    .listTopics(new ListTopicsOptions().timeoutMs(millis(within)))
                    .names()
                    .get();
        } catch (ExecutionException failed) {
            throw new KafkaException("Kafka does not say which topics it has: " + Reason.of(failed), failed.getCause());
        }
    }

    private static int millis(Duration within) {
        return Math.toIntExact(Math.max(1, within.toMillis()));
    }
}
