package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.NatsMessageStream;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.support.JsonParser;
import io.nats.client.support.JsonValue;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Draft 002 §10, "immutable field preservation on update path": a change of filters changes nothing else. */
class ConsumerFieldsTest {
    private static final Set<String> MAY_CHANGE = Set.of("filter_subject", "filter_subjects");

    @ParameterizedTest
    @EnumSource(names = {"V2_10", "NEWEST"})
    void onlyTheFiltersOfAConsumerChange(NatsLine line) throws Exception {
        try (Connection connection = Nats.connect(NatsServer.shared(line).url());
                NatsMessageStream stream = new NatsMessageStream(connection, "fields", Duration.ofSeconds(5))) {
            JetStreamManagement management = connection.jetStreamManagement();
            management.addStream(StreamConfiguration.builder()
                    .name("fields")
                    .subjects("fields.*")
                    .build());
            ConsumerSpecs specs =
                    new ConsumerSpecs("fields", "w1", "abcdef", StreamKind.LIMITS, WorkerSettings.DEFAULT);
            ConsumerSpec spec = specs.durable(List.of("fields.1", "fields.2"), 7);
            stream.consumers().create(spec);
            Map<String, JsonValue> before = fields(management, spec.name());
            stream.consumers().changeFilters(spec.withFilters(List.of("fields.2", "fields.3")));
            Map<String, JsonValue> after = fields(management, spec.name());
            stream.consumers().changeFilters(spec.withFilters(List.of("fields.3")));
            Map<String, JsonValue> single = fields(management, spec.name());

            assertThat(after.get("filter_subjects")).isNotEqualTo(before.get("filter_subjects"));
            MAY_CHANGE.forEach(before::remove);
            MAY_CHANGE.forEach(after::remove);
            MAY_CHANGE.forEach(single::remove);
            assertThat(after).isEqualTo(before);
            assertThat(single).isEqualTo(before);
            management.deleteStream("fields");
        }
    }

    private static Map<String, JsonValue> fields(JetStreamManagement management, String consumer) throws Exception {
        ConsumerConfiguration configuration =
                management.getConsumerInfo("fields", consumer).getConsumerConfiguration();
        return new HashMap<>(JsonParser.parse(configuration.toJson()).map);
    }
}
