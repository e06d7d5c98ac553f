package dev.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is remembered of topics, and for how long, with brokers that are played. */
class TopicsTest {
    private static final Duration WITHIN = Duration.ofSeconds(1);
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(BlockedTopics.class);

    private final PlayedBrokers brokers = new PlayedBrokers();
    private final Topics topics = new Topics(brokers::admin, () -> brokers.now);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void readTheLog() {
        log.start();
        LOGGER.addAppender(log);
    }

    @AfterEach
    void leaveTheLog() {
        LOGGER.detachAppender(log);
    }

    /** The producer knows it: the batch failed, and all others of the gateway, until the admin client was answered. */
    @Test
    void aTopicThatWasThereIsKeptWhileTheBrokersDoNotAnswer() throws Exception {
        brokers.partitions.put("orders", 3);
        assertThat(look("orders")).isEqualTo(new Topics.Topic.Present(3));
        brokers.answer = false;
        brokers.pass(Duration.ofMinutes(3));
        assertThat(look("orders")).isEqualTo(new Topics.Topic.Present(3));
        assertThatThrownBy(() -> look("another")).isInstanceOf(KafkaException.class);

        brokers.answer = true;
        brokers.partitions.put("orders", 4);
        brokers.pass(Duration.ofSeconds(11));
        assertThat(look("orders")).as("looked up again soon").isEqualTo(new Topics.Topic.Present(4));
    }

    @Test
    void whatCouldNotBeSentIsNotKept() throws Exception {
        brokers.partitions.put("orders", 3);
        look("orders");
        topics.doubt("orders");
        brokers.answer = false;
        assertThatThrownBy(() -> look("orders")).isInstanceOf(KafkaException.class);
    }

    @Test
    void theLogHearsOnceOfAMissingTopicAndOnceThatItIsThere() throws Exception {
        for (int times = 0; times < 3; times++) {
            assertThat(look("orders")).isInstanceOf(Topics.Topic.Blocked.class);
            brokers.pass(Duration.ofSeconds(2));
        }
        assertThat(lines())
                .containsExactly(
                        "WARN Events for Kafka topic orders wait, and what follows them for their subscriptions:"
                                + " there is no topic orders: create it.");
        brokers.partitions.put("orders", 1);
        look("orders");
        brokers.pass(Duration.ofMinutes(3));
        look("orders");
        assertThat(lines()).hasSize(2).last().isEqualTo("INFO Kafka topic orders is there now: its events go on.");

        brokers.partitions.clear();
        brokers.pass(Duration.ofMinutes(3));
        look("orders");
        assertThat(lines()).as("deleted").hasSize(3);
    }

    @Test
    void notMoreThanSoManyAreRemembered() throws Exception {
        List<String> many =
                IntStream.rangeClosed(0, Topics.MOST).mapToObj(n -> "t" + n).toList();
        many.forEach(name -> brokers.partitions.put(name, 1));
        for (String name : many) {
            look(name);
        }
        brokers.asked.clear();
        look("t" + Topics.MOST);
        look("t0");
        assertThat(brokers.asked).containsExactly("t0");
    }

    private Topics.Topic look(String name) throws InterruptedException {
        return topics.look(Set.of(name), brokers.producer(), WITHIN).get(name);
    }

    private List<String> lines() {
        return log.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    private static final class PlayedBrokers {
        final Map<String, Integer> partitions = new HashMap<>();
        final List<String> asked = new ArrayList<>();
        boolean answer = true;
        long now;

        void pass(Duration time) {
            now += time.toNanos();
        }

        Admin admin() {
            return (Admin) Proxy.newProxyInstance(
                    Admin.class.getClassLoader(),
                    new Class<?>[] {Admin.class},
                    (admin, method, arguments) -> new Described((Collection<?>) arguments[0]));
        }

        /** The brokers create no topics: a producer waits for one in vain. */
        @SuppressWarnings("unchecked")
        Producer<byte[], byte[]> producer() {
            return (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                    Producer.class.getClassLoader(), new Class<?>[] {Producer.class}, (producer, method, arguments) -> {
                        throw new TimeoutException("not there");
                    });
        }

        private KafkaFuture<TopicDescription> describe(String name) {
            asked.add(name);
            KafkaFutureImpl<TopicDescription> said = new KafkaFutureImpl<>();
            Integer count = partitions.get(name);
            if (!answer) {
                said.completeExceptionally(new TimeoutException("no answer"));
            } else if (count == null) {
                said.completeExceptionally(new UnknownTopicOrPartitionException("no such topic"));
            } else {
                said.complete(new TopicDescription(
                        name,
                        false,
                        IntStream.range(0, count)
                                .mapToObj(n -> new TopicPartitionInfo(n, Node.noNode(), List.of(), List.of()))
                                .toList()));
            }
            return said;
        }

        private final class Described extends DescribeTopicsResult {
            Described(Collection<?> names) {
                super(null, all(names));
            }
        }

        private Map<String, KafkaFuture<TopicDescription>> all(Collection<?> names) {
            Map<String, KafkaFuture<TopicDescription>> all = new HashMap<>();
            names.forEach(name -> all.put((String) name, describe((String) name)));
            return all;
        }
    }
}
