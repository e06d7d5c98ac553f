package dev.sluice.outbox.spring;

import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.PayloadCipher;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/** Writing: an {@link Outbox} on the application's DataSource, its publisher, and the events that are written by themselves. */
@AutoConfiguration(after = {DataSourceAutoConfiguration.class, JacksonAutoConfiguration.class})
@ConditionalOnBean(DataSource.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties({OutboxProperties.class, ShedLockProperties.class})
public class OutboxAutoConfiguration {

    @Bean
    OutboxSource outboxSource(@OutboxDataSource ObjectProvider<DataSource> marked, ObjectProvider<DataSource> any) {
        return OutboxSource.of(marked, any);
    }

    /** Tells the relay here and, on PostgreSQL, those elsewhere of commits. */
    @Bean
    @ConditionalOnMissingBean
    Outbox outbox(OutboxProperties properties, OutboxSource source, ObjectProvider<PayloadCipher> cipher) {
        return Outbox.builder()
                .partitions(properties.count())
                .strictKeyOrder(properties.strictKeyOrder())
                .cipher(cipher.getIfAvailable())
                .notifyThrough(source.dataSource())
                .build();
    }

    /** Behind the application's own migrations, which may make the same tables. */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    OutboxTable outboxTable(OutboxProperties properties, OutboxSource source) {
        if (properties.schema().initialize()) {
            OutboxSchema.create(source.dataSource());
        }
        return new OutboxTable(source.dataSource(), properties.keep() == null ? Keeping.DELETE : Keeping.KEEP);
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxPublisher outboxPublisher(
            Outbox outbox, OutboxSource source, CommitWatch commits, EventJson json, TraceHeaders trace) {
        return new OutboxPublisher(outbox, source.dataSource(), commits, json, trace);
    }

    /** Static: made before the transaction managers it listens to. */
    @Bean
    static CommitWatch outboxCommitWatch() {
        return new CommitWatch();
    }

    @Bean
    AnnotatedEvents outboxEvents(ObjectProvider<OutboxPublisher> publisher, Environment environment) {
        return new AnnotatedEvents(publisher::getObject, environment);
    }

    @Bean
    @ConditionalOnMissingBean
    EventJson outboxEventJson(ObjectProvider<JsonMapper> mapper) {
        return event -> mapper.getObject().writeValueAsBytes(event);
    }

    @Bean
    @ConditionalOnMissingBean
    TraceHeaders outboxTraceHeaders() {
        return new MdcTrace();
    }
}
