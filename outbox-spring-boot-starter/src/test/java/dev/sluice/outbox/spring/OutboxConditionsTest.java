package dev.sluice.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.metrics.OutboxMeters;
import dev.sluice.outbox.relay.RelaySettings;
import dev.sluice.outbox.relay.Sink;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is there when, and what the properties mean. */
@Timeout(60)
class OutboxConditionsTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    OutboxAutoConfiguration.class,
                    OutboxRelayAutoConfiguration.class,
                    OutboxActuatorAutoConfiguration.class,
                    OutboxHealthAutoConfiguration.class,
                    OutboxMetricsAutoConfiguration.class,
                    OutboxTracingAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + java.util.UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Test
    void withoutActuatorMicrometerAndTracingItSendsAllTheSame() {
        application
                .withClassLoader(new FilteredClassLoader(
                        Endpoint.class,
                        HealthIndicator.class,
                        MeterRegistry.class,
                        Tracer.class,
                        io.micrometer.core.instrument.binder.MeterBinder.class))
                .withPropertyValues("outbox.schema.initialize=true", "outbox.task.scheduler.publish.initial-delay=0")
                .withBean(RecordingSink.class)
                .run(context -> {
                    assertThat(context)
                            .hasSingleBean(RelayLifecycle.class)
                            .doesNotHaveBean(OutboxMeters.class)
                            .doesNotHaveBean(OutboxEndpoint.class)
                            .doesNotHaveBean(OutboxHealthIndicator.class);
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status ->
                                    context.getBean(OutboxPublisher.class).publish("t", "k", Map.of("a", 1)));
                    assertThat(context.getBean(RecordingSink.class).next().key())
                            .isEqualTo("k");
                });
    }

    /** A relay signs its member record when it has a secret. */
    @Test
    void theGroupsSecretsAreTheApplicationsBeans() {
        application
                .withPropertyValues("outbox.schema.initialize=true", "outbox.task.scheduler.publish.initial-delay=0")
                .withBean(RecordingSink.class)
                .withBean(MemberSecret.class, () -> MemberSecret.of("a secret of all relays"))
                .run(context -> await().untilAsserted(() -> assertThat(
                                new JdbcTemplate(context.getBean(DataSource.class))
                                        .queryForList("SELECT UTF8TOSTRING(v) FROM sluice_coordination", String.class))
                        .as("records with a signature")
                        .anyMatch(value -> value.matches("(?s).*\\b[0-9a-f]{64}\\b.*"))));
    }

    @Test
    void withTheRelayOffItOnlyWritesAndNeedsNoKafka() {
        application
                .withPropertyValues("outbox.relay.enabled=false", "outbox.schema.initialize=true")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(RelayLifecycle.class).doesNotHaveBean(OutboxMeters.class);
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status ->
                                    context.getBean(OutboxPublisher.class).publish("t", "k", "text"));
                    Integer rows = new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT COUNT(*) FROM outbox_events", Integer.class);
                    assertThat(rows).isEqualTo(1);
                });
    }

    @Test
    void withATracerItsContextGoesAlong() {
        application
                .withBean(Tracer.class, () -> FakeTrace.tracer("4bf92f3577b34da6a3ce929d0e0e4736"))
                .withBean(Propagator.class, FakeTrace::new)
                .withPropertyValues("outbox.relay.enabled=false")
                .run(context -> assertThat(context.getBean(TraceHeaders.class).current())
                        .containsExactly(Map.entry("b3", "4bf92f3577b34da6a3ce929d0e0e4736")));
    }

    @Test
    void byDefaultItMakesNoTables() {
        application
                .withPropertyValues("outbox.relay.enabled=false")
                .run(context -> assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                .queryForObject(
                                        "SELECT COUNT(*) FROM information_schema.tables WHERE LOWER(table_name) LIKE 'outbox%'",
                                        Integer.class))
                        .isZero());
    }

    @Test
    void withoutABrokerItSaysWhatToSet() {
        application.run(context -> assertThat(context)
                .hasFailed()
                .getFailure()
                .rootCause()
                .hasMessageContaining("set spring.kafka.bootstrap-servers or outbox.kafka.bootstrap-servers"));
    }

    @Test
    void ofSeveralDataSourcesOneMustBeMarked() {
        ApplicationContextRunner two = application
                .withPropertyValues("outbox.relay.enabled=false")
                .withBean("shop", DataSource.class, () -> h2("shop"))
                .withBean("archive", DataSource.class, () -> h2("archive"));
        two.run(context -> assertThat(context)
                .hasFailed()
                .getFailure()
                .rootCause()
                .hasMessageContaining("there are several DataSources ([shop, archive]): mark the one"));
        application
                .withPropertyValues("outbox.relay.enabled=false")
                .withUserConfiguration(TwoDataSources.class)
                .run(context -> assertThat(context.getBean(OutboxSource.class).dataSource())
                        .isSameAs(context.getBean("shop")));
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {
        @Bean
        @OutboxDataSource
        DataSource shop() {
            return h2("shop");
        }

        @Bean
        DataSource archive() {
            return h2("archive");
        }
    }

    private static DataSource h2(String name) {
        return new DriverManagerDataSource("jdbc:h2:mem:" + name);
    }

    @Test
    void deliveryAndFormatAreTheConfiguredOnes() {
        properties("outbox.delivery=exactly-once").run(context -> {
            ConfiguredRelay relay =
                    relay(context.getBean(OutboxProperties.class), context.getBean(ShedLockProperties.class));
            try (Sink sink = relay.kafka(Map.of("bootstrap.servers", "broker:9092"))) {
                assertThat(sink).hasToString("Kafka at broker:9092, exactly once");
            }
        });
        properties("").run(context -> {
            ConfiguredRelay relay =
                    relay(context.getBean(OutboxProperties.class), context.getBean(ShedLockProperties.class));
            try (Sink sink = relay.kafka(Map.of("bootstrap.servers", "broker:9092"))) {
                assertThat(sink).hasToString("Kafka at broker:9092");
            }
        });
    }

    @Test
    void theLockOfAnOlderOutboxIsHeldWhenNamed() {
        properties("outbox.global-lock=publish-outbox")
                .run(context -> assertThat(relay(
                                        context.getBean(OutboxProperties.class),
                                        context.getBean(ShedLockProperties.class))
                                .globalLock())
                        .isEqualTo("publish-outbox"));
        properties("")
                .run(context -> assertThat(relay(
                                        context.getBean(OutboxProperties.class),
                                        context.getBean(ShedLockProperties.class))
                                .globalLock())
                        .isEmpty());
    }

    @Test
    void switchedOffThereIsNothing() {
        application
                .withPropertyValues("outbox.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(Outbox.class)
                        .doesNotHaveBean(RelayLifecycle.class)
                        .doesNotHaveBean(AnnotatedEvents.class));
    }

    @Test
    void thePropertiesOfTheDraftAreUnderstood() {
        properties("""
                outbox.node.id=#{T(java.util.UUID).randomUUID().toString()}
                outbox.total.partitions=12
                outbox.task.scheduler.publish.fixedRate=5000
                outbox.task.scheduler.publish.initialDelay=3000
                outbox.task.scheduler.heartbeat.fixedRate=30000
                outbox.task.scheduler.heartbeat.lockAtLeastFor=PT29S
                shedlock.defaults.lock-at-most-for=PT5M
                shedlock.defaults.lock-at-least-for=PT30S
                """).run(context -> {
            ConfiguredRelay relay =
                    relay(context.getBean(OutboxProperties.class), context.getBean(ShedLockProperties.class));
            RelaySettings settings = relay.settings();
            assertThat(context.getBean(Outbox.class).partitions()).isEqualTo(12);
            assertThat(settings.longestPause()).isEqualTo(Duration.ofSeconds(5));
            assertThat(settings.stabiliser().coldStart()).isEqualTo(Duration.ofSeconds(3));
            assertThat(settings.nodeTimeout()).as("four beats").isEqualTo(Duration.ofMinutes(2));
            assertThat(settings.heartbeat()).isEqualTo(Duration.ofSeconds(30));
            assertThat(relay.nodeId("host"))
                    .as("random, as the expression says")
                    .hasSize(36);
        });
    }

    @Test
    void theDefaultsAreTheDocumentedOnes() {
        properties("").run(context -> {
            ConfiguredRelay relay =
                    relay(context.getBean(OutboxProperties.class), context.getBean(ShedLockProperties.class));
            RelaySettings settings = relay.settings();
            assertThat(context.getBean(Outbox.class).partitions()).isEqualTo(6);
            assertThat(settings.longestPause()).isEqualTo(Duration.ofSeconds(10));
            assertThat(settings.stabiliser().coldStart()).isEqualTo(Duration.ofSeconds(10));
            assertThat(settings.nodeTimeout()).isEqualTo(Duration.ofSeconds(30));
            assertThat(settings.heartbeat()).as("a quarter").isEqualTo(Duration.ofMillis(7500));
            assertThat(settings.batches()).isEqualTo(RelaySettings.BatchLimits.DEFAULT);
            assertThat(settings.retries()).isEqualTo(RelaySettings.RetryLimits.DEFAULT);
            assertThat(settings.keeping()).isEqualTo(RelaySettings.DEFAULT.keeping());
            assertThat(relay.nodeId("host")).isEqualTo("host");
            assertThat(relay.nodeId(null)).hasSize(36);
        });
    }

    @Test
    void theEnvironmentWins() {
        properties("outbox.total.partitions=12\noutbox.node.id=by-file")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-" + StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                Map.of("OUTBOX_PARTITIONS", "24", "OUTBOX_NODE_ID", "by-environment"))))
                .run(context -> {
                    assertThat(context.getBean(Outbox.class).partitions()).isEqualTo(24);
                    assertThat(relay(context.getBean(OutboxProperties.class), context.getBean(ShedLockProperties.class))
                                    .nodeId("host"))
                            .isEqualTo("by-environment");
                });
    }

    @Test
    void aNumberOfPartitionsOutOfRangeStopsTheStart() {
        properties("outbox.total.partitions=1025")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("outbox.total.partitions is 1 to 1024, not 1025"));
    }

    @Test
    void kafkaIsReachedAsTheApplicationSaysWithTheOutboxsOwnOverIt() {
        var environment = new MockEnvironment()
                .withProperty("spring.kafka.bootstrap-servers", "one:9092,two:9092")
                .withProperty("spring.kafka.properties.sasl.mechanism", "PLAIN")
                .withProperty("spring.kafka.security.protocol", "SASL_SSL")
                .withProperty("spring.kafka.producer.compression-type", "lz4");
        assertThat(KafkaAccess.producerProperties(
                        environment, new OutboxProperties.Kafka(null, Map.of("compression.type", "zstd"))))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "bootstrap.servers", "one:9092,two:9092",
                        "sasl.mechanism", "PLAIN",
                        "security.protocol", "SASL_SSL",
                        "compression.type", "zstd"));
        assertThat(KafkaAccess.producerProperties(environment, new OutboxProperties.Kafka("three:9092", Map.of())))
                .containsEntry("bootstrap.servers", "three:9092");
    }

    private ApplicationContextRunner properties(String lines) {
        return application
                .withPropertyValues("outbox.relay.enabled=false")
                .withPropertyValues(lines.lines().toArray(String[]::new));
    }

    private static ConfiguredRelay relay(OutboxProperties properties, ShedLockProperties locks) {
        return new ConfiguredRelay(properties, locks);
    }
}
