package dev.sluice.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.KafkaServer;
import dev.sluice.testkit.servers.PostgresServer;
import java.io.File;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The examples of {@code docs/outbox.md} compile, run against a real PostgreSQL, and their message arrives in a real Kafka. */
@Timeout(120)
@Order(1)
class ExampleOutboxTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path classes;

    private final String database =
            PostgresServer.shared().jdbcUrl(PostgresServer.shared().createDatabase());

    /** As the page is read: from top to bottom, in one database. */
    @Test
    void bothExamplesGetFromNothingToAMessageInKafkaOneAfterTheOther() throws Exception {
        theJdbcExample();
        assertThat(one("SELECT COUNT(*) FROM shedlock WHERE lock_until > timezone('utc', now())"))
                .as("leases that the next start would wait for")
                .isEqualTo("0");
        theSpringExample();
    }

    private void theJdbcExample() throws Exception {
        compile("jdbc-outbox", "OrderOutbox");
        ProcessSpec spec = ProcessSpec.java(
                "jdbc-outbox", "OrderOutbox", database, KafkaServer.shared().url());
        try (ChildProcess example = ChildProcess.start(withClasses(spec, classes))) {
            ConsumerRecord<String, String> message = firstOf("orders");
            assertThat(message.key()).isEqualTo("42");
            assertThat(message.value()).isEqualTo("{\"total\": 99}");
            assertThat(header(message, "type")).isEqualTo("OrderPlaced");
            example.terminate(SOON);
        }
        assertThat(one("SELECT total FROM orders")).isEqualTo("99");
    }

    private void theSpringExample() throws Exception {
        compile("spring-outbox", "OrdersApplication");
        Path resources = EXAMPLES.resolve("spring-outbox").toAbsolutePath();
        // A web server is on this class path, for other tests.
        ProcessSpec spec = ProcessSpec.java("spring-outbox", "orders.OrdersApplication")
                .withEnvironment("SPRING_MAIN_WEB_APPLICATION_TYPE", "none")
                .withEnvironment("DATABASE_URL", database)
                .withEnvironment("KAFKA", KafkaServer.shared().url());
        try (ChildProcess example = ChildProcess.start(withClasses(spec, classes, resources))) {
            ConsumerRecord<String, String> message = firstOf("shop.orders");
            String placed = one("SELECT id FROM shop_orders");
            assertThat(message.key()).isEqualTo(placed);
            assertThat(message.value()).isEqualTo("{\"orderId\":\"" + placed + "\",\"total\":99}");
            assertThat(header(message, "type")).isEqualTo("OrderPlaced");
            assertThat(header(message, "content-type")).isEqualTo("application/json");
            example.terminate(SOON);
        }
        assertThat(one("SELECT COUNT(*) FROM outbox_events")).isEqualTo("0");
    }

    private void compile(String example, String name) throws Exception {
        var said = new StringWriter();
        var options = List.of("-d", classes.toString(), "-proc:none", "-cp", System.getProperty("java.class.path"));
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var source = files.getJavaFileObjects(EXAMPLES.resolve(example).resolve(name + ".java"));
            boolean compiled =
                    compiler.getTask(said, files, null, options, null, source).call();
            assertThat(compiled).as(said.toString()).isTrue();
        }
    }

    private static ProcessSpec withClasses(ProcessSpec spec, Path... more) {
        List<String> path = new ArrayList<>();
        for (Path each : more) {
            path.add(each.toString());
        }
        List<String> command = new ArrayList<>(spec.command());
        path.add(command.get(2));
        command.set(2, String.join(File.pathSeparator, path));
        return new ProcessSpec(spec.name(), command, spec.environment(), spec.directory())
                .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    }

    private static ConsumerRecord<String, String> firstOf(String topic) {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", KafkaServer.shared().url(), "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            long end = System.nanoTime() + SOON.toNanos();
            while (System.nanoTime() < end) {
                var records = consumer.poll(Duration.ofMillis(200));
                if (!records.isEmpty()) {
                    return records.iterator().next();
                }
            }
        }
        throw new AssertionError("nothing has come to " + topic + " within " + SOON);
    }

    private static String header(ConsumerRecord<?, ?> message, String name) {
        return new String(message.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    private String one(String query) throws Exception {
        try (Connection connection = DriverManager.getConnection(database);
                ResultSet rows = connection.createStatement().executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
