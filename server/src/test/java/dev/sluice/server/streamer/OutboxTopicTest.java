package dev.sluice.server.streamer;

import static dev.sluice.server.streamer.StreamerSetup.await;
import static dev.sluice.server.streamer.StreamerSetup.gateway;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.model.Subscription;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From a row in an application's transaction to a gateway that asked for it. */
@Timeout(60)
class OutboxTopicTest {
    private static final String URL = "jdbc:h2:mem:outbox_topic;DB_CLOSE_DELAY=-1";

    @TempDir
    Path data;

    private Node start() throws IOException {
        var yaml = """
                storage: {backends: [{name: shop, type: outbox, connection: '%s'}]}
                puller:
                  grpc: {address: ':0'}
                  health: {port: 0}
                  metrics: {port: 0}
                  backends: [{name: shop}]
                  buffer: {path: '%s', min_free: 1MiB}
                routing: {grpc: {address: ':0'}, num_partitions: 3}
                gateway: {address: ':0'}
                """.formatted(URL, data.resolve("events"));
        return switch (ConfigFile.parse(yaml, Map.of())) {
            case Reading.Accepted accepted ->
                Node.start(accepted.config(), EnumSet.of(Role.PULLER, Role.STREAMER), "test");
            case Reading.Refused refused -> throw new AssertionError(refused.problems() + "\n" + yaml);
        };
    }

    @Test
    void aSubscriptionToATopicGetsItsMessagesByTheirContent() throws Exception {
        var database = new JdbcDataSource();
        database.setURL(URL);
        OutboxSchema.create(database);
        var outbox = Outbox.builder().build();
        var got = new ConcurrentLinkedQueue<ReceivedEvent>();
        try (var node = start();
                var gateway = gateway(node, "g")) {
            gateway.subscribe(
                    Subscription.of("large", "g", "acme", "orders", "{\"payload.total\": {\"$gt\": 10}}"), got::add);
            try (var connection = database.getConnection()) {
                connection.setAutoCommit(false);
                outbox.append(connection, order("a", "acme", 12));
                outbox.append(connection, order("b", "acme", 9));
                outbox.append(connection, order("c", "other", 99));
                outbox.append(connection, order("a", "acme", 13));
                connection.commit();
            }
            await("both large ones", () -> got.size() >= 2);
            assertThat(got.stream().map(ReceivedEvent::documentId)).containsExactly("a", "a");
            assertThat(got.stream().map(ReceivedEvent::json)).first().asString().contains("OrderPlaced");
        }
    }

    private static OutboxMessage order(String key, String tenant, int total) {
        return OutboxMessage.to("orders")
                .key(key)
                .type("OrderPlaced")
                .header("tenant", tenant)
                .json("{\"total\": " + total + "}")
                .build();
    }
}
