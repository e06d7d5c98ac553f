package dev.sluice.outbox.spring;

import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.PayloadCipher;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.table.OutboxTable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Sending: a relay that lives as long as the application, to Kafka or to the application's own {@link Sink}. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(Outbox.class)
@ConditionalOnBooleanProperty(name = "outbox.relay.enabled", matchIfMissing = true)
public class OutboxRelayAutoConfiguration {

    /**
     * @param tables only so that they are there before anything is fetched
     * @param secrets in their order, see {@link OutboxRelay.Builder#secrets}
     */
    @Bean
    @SuppressWarnings("UnusedVariable")
    RelayLifecycle outboxRelay(
            OutboxProperties properties,
            ShedLockProperties locks,
            OutboxSource source,
            Outbox outbox,
            OutboxTable tables,
            ObjectProvider<PayloadCipher> cipher,
            ObjectProvider<Sink> sink,
            ObjectProvider<MemberSecret> secrets,
            Environment environment) {
        ConfiguredRelay configured = new ConfiguredRelay(properties, locks);
        return new RelayLifecycle(() -> {
            configured.warn();
            String node = configured.nodeId(environment.getProperty("HOSTNAME"));
            Sink receiver = sink.getIfAvailable(
                    () -> configured.kafka(KafkaAccess.producerProperties(environment, properties.kafka())));
            return OutboxRelay.builder(source.dataSource())
                    .name(properties.name())
                    .nodeId(node)
                    .partitions(properties.count())
                    .sink(configured.withDeadLetters(receiver))
                    .globalLock(configured.globalLock())
                    .wakeUps(outbox)
                    .cipher(cipher.getIfAvailable())
                    .secrets(secrets.orderedStream().toList())
                    .settings(configured.settings())
                    .start();
        });
    }
}
