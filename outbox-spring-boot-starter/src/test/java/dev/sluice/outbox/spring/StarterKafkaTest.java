package dev.sluice.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.testkit.servers.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application that delivers exactly once, by its properties alone, to a real Kafka. */
@Timeout(120)
class StarterKafkaTest {
    private final String name = "starter-" + UUID.randomUUID();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {}

    private ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1",
                        "spring.kafka.bootstrap-servers=" + KafkaServer.shared().url(),
                        "outbox.name=" + name,
                        "outbox.delivery=exactly-once",
                        "outbox.dead-letter-topic=" + name + ".dead",
                        "outbox.total.partitions=2",
                        "outbox.schema.initialize=true",
                        "outbox.task.scheduler.publish.initial-delay=0")
                .run();
    }

    private void publish(ConfigurableApplicationContext application, String topic, String... keys) {
        new TransactionTemplate(application.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            for (String key : keys) {
                application.getBean(OutboxPublisher.class).publish(topic, key, Map.of("key", key));
            }
        });
        await().atMost(Duration.ofSeconds(30))
                .until(() -> application.getBean(OutboxTable.class).backlog().rows() == 0);
    }

    @Test
    void everyMessageIsCommittedOnceAlsoAcrossARestartAndWhatIsGivenUpIsCopied() {
        try (var application = start()) {
            publish(application, name, "a", "b", "a");
            publish(application, "no such topic!", "poison");
        }
        try (var application = start()) {
            publish(application, name, "a");
        }
        assertThat(committed(name, 4)).extracting(ConsumerRecord::key).containsExactlyInAnyOrder("a", "b", "a", "a");
        assertThat(committed(name + ".dead", 1)).singleElement().satisfies(copy -> {
            assertThat(copy.key()).isEqualTo("poison");
            assertThat(copy.headers().lastHeader("dead-topic").value())
                    .asString()
                    .isEqualTo("no such topic!");
        });
        assertThat(committed(name + "-outbox-progress", 4))
                .as("one per transaction, in the same")
                .isNotEmpty();
    }

    /** All that is committed when at least so many are. */
    private static List<ConsumerRecord<String, String>> committed(String topic, int atLeast) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                KafkaServer.shared().url(),
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed");
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> all = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (records.size() < atLeast && System.nanoTime() - end < 0) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            consumer.poll(Duration.ofMillis(300)).forEach(records::add);
        }
        return records;
    }
}
