package dev.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaEndpointTest {
    @Test
    void howToComeToTheBrokersIsPassedOnAndNotShown() {
        var jaas =
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"geheim\";";
        var delivery = new KafkaDelivery(
                Duration.ofSeconds(1),
                Map.of("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN", "sasl.jaas.config", jaas));
        assertThat(delivery.producer("127.0.0.1:1")).containsEntry("sasl.jaas.config", jaas);
        assertThat(delivery.admin("127.0.0.1:1")).containsEntry("security.protocol", "SASL_PLAINTEXT");
        var logged = delivery.producer("127.0.0.1:1");
        logged.put("key.serializer", ByteArraySerializer.class);
        logged.put("value.serializer", ByteArraySerializer.class);
        assertThat(new ProducerConfig(logged).values().toString()).doesNotContain("geheim");
        assertThat(delivery.toString()).doesNotContain("geheim");
    }

    private static final KafkaEndpoint ENDPOINT = KafkaEndpoint.parse("localhost:9092/changes.{tenant}.{collection}");

    @ParameterizedTest
    @CsvSource({
        "changes.{tenant}.{collection}, changes.acme.orders",
        "{collection}_{tenant}_{collection}, orders_acme_orders",
        "all, all"
    })
    void aTopicIsNamedByItsTemplate(String template, String topic) {
        assertThat(KafkaEndpoint.parse("localhost:9092/" + template).topicOf(event("acme", "orders")))
                .isEqualTo(topic);
    }

    /** Or a tenant could choose its name so that its events go to another's topic. */
    @ParameterizedTest
    @ValueSource(strings = {"\0", "{collection}", "{tenant}", "$1", "\\"})
    void aNameIsNeverTakenForAPartOfTheTemplate(String name) {
        for (ChangeEvent event : List.of(event(name, "orders"), event("acme", name))) {
            assertThatThrownBy(() -> ENDPOINT.topicOf(event)).isInstanceOf(InvalidInputException.class);
        }
    }

    @Test
    void aNameThatIsOnlyDotsIsNoTopic() {
        ChangeEvent dots = event(".", ".");
        KafkaEndpoint both = KafkaEndpoint.parse("localhost:9092/{tenant}{collection}");
        assertThatThrownBy(() -> both.topicOf(dots)).isInstanceOf(InvalidInputException.class);
    }

    private static ChangeEvent event(String tenant, String collection) {
        return new ChangeEvent(
                new EventId(ClusterTime.of(1, 1), 1),
                "main",
                Operation.DELETE,
                tenant,
                collection,
                DocumentId.of(new BsonString("a")),
                null,
                null,
                0,
                OptionalLong.empty(),
                false);
    }
}
