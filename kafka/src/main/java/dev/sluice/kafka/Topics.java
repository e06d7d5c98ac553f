package dev.sluice.kafka;

import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
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
 * while; a missing topic is looked up again sooner. While the brokers do not answer, a topic that was there counts as there:
 * the producer knows it, and finds out when it is gone.
 */
final class Topics {
    /** How many are remembered; of more, those not asked for the longest are looked up again. */
    static final int MOST = 10_000;

    private static final Duration GOOD_FOR = Duration.ofMinutes(2);
    private static final Duration KEPT_FOR = Duration.ofSeconds(10);
    private static final Duration MISSING_FOR = Duration.ofSeconds(1);

    private final Supplier<Admin> admin;
    private final LongSupplier nanos;
    private final Map<String, Known> known = Collections.synchronizedMap(new Recent<>(MOST));
    private final BlockedTopics blocked = new BlockedTopics(MOST);

    /** What the brokers say of a topic. */
    sealed interface Topic {
        record Present(int partitions) implements Topic {}

        /** Nothing can be sent there now; the events of other topics in the batch do not suffer. */
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
        Map<String, Topic> all = new HashMap<>();
        Set<String> unknown = new TreeSet<>();
        for (String name : names) {
            Known entry = known.get(name);
            if (entry == null || entry.until - nanos.getAsLong() < 0) {
                unknown.add(name);
            } else {
                all.put(name, entry.topic);
            }
        }
        if (!unknown.isEmpty()) {
            all.putAll(ask(unknown, producer, within));
        }
        return all;
    }

    private Map<String, Topic> ask(Set<String> names, Producer<byte[], byte[]> producer, Duration within)
            throws InterruptedException {
        long deadline = nanos.getAsLong() + within.toNanos();
        var options = new DescribeTopicsOptions().timeoutMs(millis(within));
        var answers = admin.get().describeTopics(names, options).topicNameValues();
        Map<String, Topic> found = new HashMap<>();
        List<CompletableFuture<Void>> firstTimes = new ArrayList<>();
        for (var answer : answers.entrySet()) {
            String name = answer.getKey();
            Known said = answer(name, answer.getValue());
            found.put(name, said.topic);
            remember(name, said);
            if (said.topic instanceof Topic.Blocked) {
                CompletableFuture<Void> creation = askProducer(name, producer);
                if (blocked.isNew(name)) {
                    firstTimes.add(creation);
                }
            }
        }
        await(CompletableFuture.allOf(firstTimes.toArray(CompletableFuture[]::new)), deadline);
        found.replaceAll(this::unlessItHasCome);
        return found;
    }

    private Known answer(String name, KafkaFuture<TopicDescription> answer) throws InterruptedException {
        try {
            return known(new Topic.Present(answer.get().partitions().size()), GOOD_FOR);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof UnknownTopicOrPartitionException) {
                return waits("there is no topic " + name + ": create it");
            }
            if (cause instanceof InvalidTopicException) {
                return known(new Topic.Blocked(new EventOutcome.Rejected(Reason.of(cause))), MISSING_FOR);
            }
            if (cause instanceof TopicAuthorizationException) {
                return waits("this Streamer may not write to topic " + name + ": allow it");
            }
            Known before = known.get(name);
            if (before != null && before.topic instanceof Topic.Present) {
                return known(before.topic, KEPT_FOR);
            }
            throw new KafkaException("Kafka does not say which topics it has: " + Reason.of(failed), cause);
        }
    }

    private Known waits(String reason) {
        return known(new Topic.Blocked(new EventOutcome.RetryLater(reason)), MISSING_FOR);
    }

    private Known known(Topic topic, Duration goodFor) {
        return new Known(topic, nanos.getAsLong() + goodFor.toNanos());
    }

    private void remember(String name, Known said) {
        known.put(name, said);
        if (said.topic instanceof Topic.Present) {
            blocked.present(name);
        }
    }

    /** The log hears of a topic only when the brokers have not created it meanwhile. */
    private Topic unlessItHasCome(String name, Topic found) {
        Known now = known.get(name);
        Topic topic = now == null ? found : now.topic;
        if (topic instanceof Topic.Blocked still) {
            blocked.tell(name, still.outcome());
        }
        return topic;
    }

    /** It blocks for a topic that does not come: so it is asked on a thread of its own. */
    private CompletableFuture<Void> askProducer(String name, Producer<byte[], byte[]> producer) {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        Thread.ofVirtual().name("kafka-topic-" + name).start(() -> {
            try {
                int partitions = producer.partitionsFor(name).size();
                remember(name, known(new Topic.Present(partitions), GOOD_FOR));
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
