package dev.sluice.outbox.spring;

import dev.sluice.outbox.metrics.OutboxMeters;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Where the application has Micrometer: {@code sluice_outbox_*} in every registry. */
@AutoConfiguration(after = OutboxRelayAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(RelayLifecycle.class)
public class OutboxMetricsAutoConfiguration {
    @Bean
    OutboxMeters outboxMeters(RelayLifecycle relay, OutboxProperties properties) {
        return new OutboxMeters(relay::relay, properties.count());
    }
}
