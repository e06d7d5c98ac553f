package dev.sluice.bench.peers;

import dev.sluice.bench.OutboxLoad;
import dev.sluice.bench.OutboxSettings;
import dev.sluice.bench.OutboxUnderTest;
import io.namastack.outbox.Outbox;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * namastack-outbox in a Spring Boot application without a web server. Its handler returns when the broker has acknowledged;
 * records that are done are deleted. Settings: {@code batch} (keys per poll), {@code threads}, {@code poll} in ms.
 */
public final class NamastackOutbox implements OutboxUnderTest {
    private static final int PER_TRANSACTION = 1_000;

    private final OutboxSettings settings;
    private final AtomicLong sent = new AtomicLong();
    private @Nullable ConfigurableApplicationContext application;
    private @Nullable KafkaProducer<String, String> producer;

    public NamastackOutbox(OutboxSettings settings) {
        this.settings = settings;
    }

    /** Everything by auto-configuration. */
    @Configuration
    @EnableAutoConfiguration
    static class Application {}

    /** A class, not a lambda: the type of its messages is read from it. */
    private final class Sender implements OutboxTypedHandler<String> {
        @Override
        public void handle(String payload, OutboxRecordMetadata metadata) {
            try {
                Objects.requireNonNull(producer)
                        .send(new ProducerRecord<>(settings.topic(), metadata.getKey(), payload))
                        .get();
                sent.incrementAndGet();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private ConfigurableApplicationContext run(int pollMillis) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("spring.main.banner-mode", "off");
        properties.put("spring.datasource.url", settings.jdbc());
        properties.put("spring.datasource.hikari.maximum-pool-size", settings.number("threads") + 4);
        properties.put("namastack.outbox.polling.batch-size", settings.number("batch"));
        properties.put("namastack.outbox.polling.fixed.interval", pollMillis + "ms");
        properties.put("namastack.outbox.processing.executor-core-pool-size", settings.number("threads"));
        properties.put("namastack.outbox.processing.executor-max-pool-size", settings.number("threads"));
        properties.put("namastack.outbox.processing.delete-completed-records", true);
        return new SpringApplicationBuilder(Application.class)
                .initializers(context ->
                        ((GenericApplicationContext) context).registerBean("sender", Sender.class, () -> new Sender()))
                .properties(properties)
                .run();
    }

    @Override
    public void createTables() {
        run(3_600_000).close();
    }

    @Override
    public void write(int count) {
        try (ConfigurableApplicationContext writer = run(3_600_000)) {
            Outbox outbox = writer.getBean(Outbox.class);
            TransactionTemplate transaction = new TransactionTemplate(writer.getBean(PlatformTransactionManager.class));
            for (int from = 0; from < count; from += PER_TRANSACTION) {
                int first = from;
                int end = Math.min(count, from + PER_TRANSACTION);
                transaction.executeWithoutResult(status -> {
                    for (int number = first; number < end; number++) {
                        outbox.schedule(OutboxLoad.payload(number), OutboxLoad.key(number));
                    }
                });
            }
        }
    }

    @Override
    public String table() {
        return "outbox_record";
    }

    @Override
    public String order() {
        return "created_at";
    }

    @Override
    public void start() {
        sent.set(0);
        producer = new KafkaProducer<>(settings.producer(0), new StringSerializer(), new StringSerializer());
        application = run(settings.number("poll"));
    }

    @Override
    public long sent() {
        return sent.get();
    }

    @Override
    public void stop() {
        Objects.requireNonNull(application).close();
        Objects.requireNonNull(producer).close();
    }
}
