package dev.sluice.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.relay.BlockedTopic;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Row;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One application with everything: what it writes in its transactions is sent, seen and counted. */
@Timeout(60)
class OutboxStarterTest {
    private static ConfigurableApplicationContext application;
    private static RecordingSink sink;
    private static TransactionTemplate transaction;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {
        @Bean
        RecordingSink sink() {
            return new RecordingSink();
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @OutboxEvent(topic = "${shop.topic}", key = "orderId")
    record OrderPlaced(String orderId, int total) {}

    @OutboxEvent(topic = "audit", key = "who.toLowerCase() + ':' + what", type = "audited", priority = 3)
    record Audited(String who, int what) {}

    @OutboxEvent(topic = "audit", key = "nothing")
    record Unkeyed(String who) {}

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Shop.class)
                .properties(
                        "spring.datasource.url=jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1",
                        "outbox.name=shop",
                        "outbox.node.id=node-1",
                        "outbox.schema.initialize=true",
                        "outbox.task.scheduler.publish.initial-delay=0",
                        "shop.topic=orders",
                        "server.address=127.0.0.1",
                        "server.port=0",
                        "management.endpoints.web.exposure.include=*")
                .run();
        sink = application.getBean(RecordingSink.class);
        transaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @AfterEach
    void forget() {
        sink.away = false;
        sink.silent = false;
        sink.refused.clear();
        sink.blocked.clear();
        MDC.clear();
        await().until(() -> application.getBean(OutboxTable.class).backlog().rows() == 0);
        sink.taken.clear();
    }

    private static OutboxPublisher publisher() {
        return application.getBean(OutboxPublisher.class);
    }

    private static void publishEvent(Object event) {
        transaction.executeWithoutResult(status -> application.publishEvent(event));
    }

    @Test
    void anAnnotatedEventIsSentAsJsonWithItsKeyAndTrace() throws Exception {
        MDC.put("traceId", "0af7651916cd43dd8448eb211c80319c");
        MDC.put("spanId", "b7ad6b7169203331");
        publishEvent(new OrderPlaced("42", 99));
        Row sent = sink.next();
        assertThat(sent.topic()).isEqualTo("orders");
        assertThat(sent.key()).isEqualTo("42");
        assertThat(sent.type()).isEqualTo("OrderPlaced");
        assertThat(text(sent)).isEqualTo("{\"orderId\":\"42\",\"total\":99}");
        assertThat(sent.headers())
                .containsEntry("content-type", "application/json")
                .containsEntry("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    }

    @Test
    void aKeyMayBeAnExpressionAndATypeAName() throws Exception {
        publishEvent(new Audited("Ann", 7));
        Row sent = sink.next();
        assertThat(sent.key()).isEqualTo("ann:7");
        assertThat(sent.type()).isEqualTo("audited");
        assertThat(sent.priority()).isEqualTo(3);
        assertThat(sent.headers()).doesNotContainKey("traceparent");
    }

    @Test
    void aKeyThatCannotBeReadIsSaidToThePublisher() {
        assertThatThrownBy(() -> publishEvent(new Unkeyed("Ann")))
                .hasMessageContaining("the key of @OutboxEvent on Unkeyed, nothing, cannot be read");
    }

    @Test
    void whatIsRolledBackIsNotSent() throws Exception {
        transaction.executeWithoutResult(status -> {
            application.publishEvent(new OrderPlaced("rolled back", 1));
            status.setRollbackOnly();
        });
        publishEvent(new OrderPlaced("committed", 2));
        assertThat(sink.next().key()).isEqualTo("committed");
        assertThat(sink.taken).isEmpty();
    }

    @Test
    void outsideOfATransactionItRefuses() {
        assertThatThrownBy(() -> application.publishEvent(new OrderPlaced("42", 99)))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("publish it in a method that is @Transactional");
        var reading = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        reading.setReadOnly(true);
        assertThatThrownBy(
                        () -> reading.executeWithoutResult(status -> publisher().publish("t", "k", "text")))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("read-only");
    }

    @Test
    void inATransactionOfSomethingElseItRefuses() {
        var elsewhere = new TransactionTemplate(new TransactionsOfSomethingElse());
        assertThatThrownBy(() ->
                        elsewhere.executeWithoutResult(status -> publisher().publish("t", "k", "text")))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("not one of the outbox's DataSource");
    }

    /** An AFTER_COMMIT listener is such a callback. */
    @Test
    void afterTheCommitItRefusesUnlessInATransactionOfItsOwn() throws Exception {
        transaction.executeWithoutResult(status -> {
            publisher().publish("t", "before", "1");
            afterCommit(() -> {
                assertThatThrownBy(() -> publisher().publish("t", "after", "2"))
                        .isInstanceOf(IllegalTransactionStateException.class)
                        .hasMessageContaining("already completed");
                requiringNew().executeWithoutResult(own -> publisher().publish("t", "own", "3"));
            });
        });
        assertThat(List.of(sink.next().key(), sink.next().key())).containsExactlyInAnyOrder("before", "own");
        transaction.executeWithoutResult(status -> publisher().publish("t", "next", "4"));
        assertThat(sink.next().key()).isEqualTo("next");
    }

    private static void afterCommit(Runnable callback) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                callback.run();
            }
        });
    }

    @Test
    void eachCommitIsHintedOnceAndNoRollbackIs() {
        var hints = new AtomicInteger();
        Outbox outbox = application.getBean(Outbox.class);
        try (var registration = outbox.onCommitted(hints::incrementAndGet)) {
            assertThat(registration).isNotNull();
            transaction.executeWithoutResult(status -> {
                publisher().publish("t", "outer", "1");
                publisher().publish("t", "outer", "2");
                requiringNew().executeWithoutResult(inner -> publisher().publish("t", "inner", "3"));
                assertThat(hints).as("the inner commit").hasValue(1);
                publisher().publish("t", "outer", "4");
            });
            assertThat(hints).as("the outer commit").hasValue(2);
            transaction.executeWithoutResult(status -> {
                publisher().publish("t", "rolled back", "5");
                status.setRollbackOnly();
            });
            assertThat(hints).as("the rollback").hasValue(2);
            publishEvent(new OrderPlaced("42", 99));
            assertThat(hints).as("the next commit").hasValue(3);
        }
    }

    private static TransactionTemplate requiringNew() {
        var template = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template;
    }

    @Test
    void healthSaysWhenTheReceiverTakesNothing() throws Exception {
        var health = application.getBean(OutboxHealthIndicator.class);
        await().atMost(Duration.ofSeconds(20)).until(() -> health.health().getStatus(), Status.UP::equals);
        assertThat(health.health().getDetails())
                .containsEntry("receiver", "takes messages")
                .containsKeys("nodes", "registry", "partitions", "backlog", "dead");
        sink.away = true;
        publishEvent(new OrderPlaced("42", 99));
        await().atMost(Duration.ofSeconds(20)).until(() -> health.health().getStatus(), Status.DOWN::equals);
        assertThat(health.health().getDetails())
                .extractingByKey("receiver")
                .asString()
                .endsWith("the broker is away");
        sink.away = false;
        assertThat(sink.next().key()).isEqualTo("42");
        await().atMost(Duration.ofSeconds(20)).until(() -> health.health().getStatus(), Status.UP::equals);
    }

    @Test
    void theEndpointShowsDeadMessagesAndSendsThemAgain() throws Exception {
        var endpoint = application.getBean(OutboxEndpoint.class);
        sink.refused.add("poison");
        publishEvent(new OrderPlaced("poison", 1));
        await().atMost(Duration.ofSeconds(20)).until(() -> endpoint.status().dead() == 1);
        OutboxReport report = endpoint.status();
        assertThat(report.name()).isEqualTo("shop");
        assertThat(report.deadRows()).singleElement().satisfies(dead -> {
            assertThat(dead.key()).isEqualTo("poison");
            assertThat(dead.reason()).isEqualTo("not with this key");
        });
        assertThat(report.relay().node()).isEqualTo("node-1");
        assertThat(report.relay().partitions()).hasSize(6);
        assertThatThrownBy(() -> endpoint.requeue(null, null, null))
                .isInstanceOf(InvalidEndpointRequestException.class)
                .hasMessageContaining("Say what to requeue");
        sink.refused.clear();
        assertThat(endpoint.requeue(null, "poison", null)).containsEntry("requeued", 1);
        assertThat(sink.next().key()).isEqualTo("poison");
        assertThat(endpoint.requeue(null, null, true)).containsEntry("requeued", 0);
    }

    @Test
    void theEndpointAnswersOverHttp() throws Exception {
        sink.refused.add("poison");
        publishEvent(new OrderPlaced("poison", 1));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> application.getBean(OutboxTable.class).backlog().dead() == 1);
        HttpResponse<String> status = ask("GET", "outbox", "");
        assertThat(status.statusCode()).isEqualTo(200);
        JsonNode report = JsonMapper.shared().readTree(status.body());
        assertThat(report.at("/deadRows/0/key").asString()).isEqualTo("poison");
        assertThat(report.at("/relay/node").asString()).isEqualTo("node-1");
        assertThat(report.at("/relay/blockedTopics").isArray()).isTrue();

        assertThat(ask("POST", "outbox", "{}").statusCode()).isEqualTo(400);
        sink.refused.clear();
        HttpResponse<String> requeued = ask("POST", "outbox", "{\"key\": \"poison\"}");
        assertThat(requeued.statusCode()).isEqualTo(200);
        assertThat(requeued.body()).isEqualTo("{\"requeued\":1}");
        assertThat(sink.next().key()).isEqualTo("poison");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> ask("GET", "health", "").statusCode() == 200);
    }

    private static HttpResponse<String> ask(String method, String endpoint, String body) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/" + endpoint))
                            .header("Content-Type", "application/json")
                            .method(method, HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    /** What takes nothing, in health and in the endpoint. */
    @Test
    void aTopicThatTakesNothingIsNamedWhileOthersGoOn() throws Exception {
        var health = application.getBean(OutboxHealthIndicator.class);
        sink.blocked.add("missing");
        publisherInTransaction(
                OutboxMessage.to("missing").key("k").payload(new byte[] {1}).build());
        publisherInTransaction(
                OutboxMessage.to("there").key("k").payload(new byte[] {2}).build());
        assertThat(sink.next().topic()).isEqualTo("there");
        await().atMost(Duration.ofSeconds(20)).until(() -> health.health().getStatus(), Status.DOWN::equals);
        assertThat(health.health().getDetails())
                .extractingByKey("receiver")
                .asString()
                .contains("topic missing takes nothing", "others go on");
        assertThat(application.getBean(OutboxEndpoint.class).status().relay().blockedTopics())
                .extracting(BlockedTopic::topic)
                .containsExactly("missing");
        sink.blocked.clear();
        assertThat(sink.next().topic()).isEqualTo("missing");
        await().atMost(Duration.ofSeconds(20)).until(() -> health.health().getStatus(), Status.UP::equals);
    }

    @Test
    void anIdleReceiverThatDoesNotAnswerIsInHealthBeforeAnythingIsSent() {
        var health = application.getBean(OutboxHealthIndicator.class);
        sink.silent = true;
        await().atMost(Duration.ofSeconds(20)).until(() -> health.health().getStatus(), Status.DOWN::equals);
        assertThat(health.health().getDetails()).containsEntry("receiver", "nobody answers");
    }

    /** Names are part of what others rely on. */
    @Test
    void everyMeterHasItsNameAndCounts() throws Exception {
        MeterRegistry registry = application.getBean(MeterRegistry.class);
        Set<String> names = registry.getMeters().stream()
                .map(Meter::getId)
                .map(Meter.Id::getName)
                .filter(name -> name.startsWith("sluice."))
                .map(name -> name.substring("sluice.outbox.".length()))
                .collect(Collectors.toSet());
        assertThat(names)
                .containsExactlyInAnyOrder(
                        "active.nodes",
                        "batches",
                        "blocked.topics",
                        "breaker.open",
                        "claims",
                        "database.failures",
                        "dead.events",
                        "dead.letters",
                        "events",
                        "fenced",
                        "hot.keys",
                        "keys.parked",
                        "listening",
                        "lock.contention",
                        "oldest.pending.seconds",
                        "owned.partitions",
                        "parked.keys",
                        "partitions.lost",
                        "partitions.taken",
                        "partitions.without.owner",
                        "pending.events",
                        "processing.latency",
                        "processing.latency.quantile.seconds",
                        "rebalances",
                        "receiver.away",
                        "registry.away.seconds",
                        "sink.failures",
                        "topics.blocked",
                        "wake.ups");
        double before = events(registry);
        publisherInTransaction(
                OutboxMessage.to("t").key("k").payload(new byte[] {1}).build());
        assertThat(sink.next().payload()).containsExactly(1);
        await().atMost(Duration.ofSeconds(20)).until(() -> events(registry) == before + 1);
        assertThat(registry.get("sluice.outbox.processing.latency")
                        .functionTimer()
                        .count())
                .isPositive();
        assertThat(registry.get("sluice.outbox.active.nodes").gauge().value()).isEqualTo(1);
        assertThat(registry.get("sluice.outbox.owned.partitions").gauge().value())
                .isEqualTo(6);
    }

    private static void publisherInTransaction(OutboxMessage message) {
        transaction.executeWithoutResult(status -> publisher().publish(message));
    }

    private static double events(MeterRegistry registry) {
        return registry.get("sluice.outbox.events").functionCounters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    private static String text(Row row) {
        return new String(row.payload(), StandardCharsets.UTF_8);
    }

    /** As of a message broker or another database. */
    private static final class TransactionsOfSomethingElse extends AbstractPlatformTransactionManager {
        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object of, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
