package dev.sluice.outbox.spring;

import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.table.OutboxTable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Where the application has Actuator: the endpoint {@code outbox}. */
@AutoConfiguration(after = OutboxRelayAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(Outbox.class)
public class OutboxActuatorAutoConfiguration {
    @Bean
    @ConditionalOnAvailableEndpoint(OutboxEndpoint.class)
    @ConditionalOnMissingBean
    OutboxEndpoint outboxEndpoint(
            OutboxProperties properties, Outbox outbox, OutboxTable table, ObjectProvider<RelayLifecycle> relay) {
        return new OutboxEndpoint(properties.name(), outbox, table, relay::getIfAvailable);
    }
}
