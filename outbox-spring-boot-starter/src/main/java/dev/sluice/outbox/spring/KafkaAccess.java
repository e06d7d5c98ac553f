package dev.sluice.outbox.spring;

import dev.sluice.model.InvalidInputException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * How to reach the brokers: what the application says for Spring Kafka already, whether or not it uses that, and over it what
 * it says for the outbox alone.
 */
final class KafkaAccess {
    private KafkaAccess() {}

    /** @throws InvalidInputException when no broker is named */
    static Map<String, Object> producerProperties(Environment environment, OutboxProperties.Kafka ours) {
        Binder binder = Binder.get(environment);
        Map<String, Object> all = new HashMap<>();
        all.putAll(map(binder, "spring.kafka.properties"));
        all.putAll(map(binder, "spring.kafka.producer.properties"));
        put(all, "security.protocol", environment.getProperty("spring.kafka.security.protocol"));
        put(all, "client.id", environment.getProperty("spring.kafka.client-id"));
        put(all, "compression.type", environment.getProperty("spring.kafka.producer.compression-type"));
        all.putAll(ours.properties());
        put(all, "bootstrap.servers", bootstrapServers(binder, ours));
        return all;
    }

    private static String bootstrapServers(Binder binder, OutboxProperties.Kafka ours) {
        if (ours.bootstrapServers() != null) {
            return ours.bootstrapServers();
        }
        return binder.bind("spring.kafka.bootstrap-servers", Bindable.listOf(String.class))
                .map(servers -> String.join(",", servers))
                .orElseThrow(() -> new InvalidInputException("the outbox does not know where Kafka is: set"
                        + " spring.kafka.bootstrap-servers or outbox.kafka.bootstrap-servers, give it a Sink bean,"
                        + " or set outbox.relay.enabled=false when others send what this application writes"));
    }

    private static Map<String, String> map(Binder binder, String name) {
        return binder.bind(name, Bindable.mapOf(String.class, String.class)).orElseGet(Map::of);
    }

    private static void put(Map<String, Object> all, String name, @Nullable String value) {
        if (value != null) {
            all.put(name, value);
        }
    }
}
