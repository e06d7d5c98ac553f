package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A real PostgreSQL (fsync and synchronous_commit on) and a real Kafka broker. */
final class OutboxServers implements AutoCloseable {
    private final BenchServers servers;

    OutboxServers(BenchHome home) throws IOException {
        this.servers = new BenchServers(home, "postgres", "kafka");
    }

    /** A new, empty database. */
    String database(String name) throws SQLException {
        String server = servers.address("postgres");
        try (Connection connection = DriverManager.getConnection(server);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        return server.replace("/postgres?", "/" + name + "?");
    }

    String bootstrap() {
        return servers.address("kafka");
    }

    /** For logs. */
    Path directory() {
        return servers.directory();
    }

    @Override
    public void close() {
        servers.close();
    }
}
