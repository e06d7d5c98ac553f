import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.OutboxMessage;
import dev.sluice.outbox.OutboxRelay;
import dev.sluice.outbox.kafka.KafkaSinks;
import dev.sluice.outbox.table.OutboxSchema;
import java.sql.Connection;
import java.util.Map;

/** Places an order and tells Kafka of it: both, or neither. Arguments: a JDBC URL, Kafka's bootstrap servers. */
public final class OrderOutbox {
    public static void main(String[] args) throws Exception {
        var database = new HikariDataSource();
        database.setJdbcUrl(args[0]);
        OutboxSchema.create(database); // or by the migration files
        Outbox outbox = Outbox.builder().build();
        var kafka = KafkaSinks.atLeastOnce(Map.of("bootstrap.servers", args[1]));
        var relay = OutboxRelay.builder(database).sink(kafka).wakeUps(outbox).start();
        Runtime.getRuntime().addShutdownHook(new Thread(relay::close)); // or the next start waits 30 s for this one
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("CREATE TABLE IF NOT EXISTS orders (id INT, total INT)");
            connection.createStatement().execute("INSERT INTO orders VALUES (42, 99)");
            outbox.append(connection, OutboxMessage.to("orders").key("42").type("OrderPlaced").json("{\"total\": 99}").build());
            connection.commit();
            outbox.committed(); // sent at once; without this a little later
        }
        System.out.println("placed; " + relay.status().name() + " is sending, Ctrl-C ends it");
        Thread.currentThread().join();
    }
}
