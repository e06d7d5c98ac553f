package dev.sluice.outbox.chaos;

import dev.sluice.testkit.servers.FreePorts;
import dev.sluice.testkit.servers.MariaDbServer;
import dev.sluice.testkit.servers.PostgresServer;
import dev.sluice.testkit.servers.RealServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Random;
import java.util.function.Supplier;
import org.h2.tools.Server;

/** A database server that relays share, and that is taken away from them. */
interface ChaosDatabase extends AutoCloseable {
    /** Of a new, empty database. */
    String newUrl();

    /** Down and up again, in good order or not. */
    void restart(Random random) throws SQLException;

    @Override
    void close();

    /** Which. */
    enum Kind {
        POSTGRESQL {
            @Override
            ChaosDatabase start() {
                PostgresServer server = PostgresServer.startPrivate();
                return new Process(server, () -> server.jdbcUrl(server.createDatabase()) + "&socketTimeout=10");
            }
        },
        MARIADB {
            @Override
            ChaosDatabase start() {
                MariaDbServer server = MariaDbServer.startPrivate();
                return new Process(server, () -> server.jdbcUrl(server.createDatabase()) + "&socketTimeout=10000");
            }
        },
        H2 {
            @Override
            ChaosDatabase start() throws IOException, SQLException {
                return new H2Server();
            }
        };

        abstract ChaosDatabase start() throws IOException, SQLException;
    }

    /** PostgreSQL or MariaDB. */
    record Process(RealServer server, Supplier<String> urls) implements ChaosDatabase {
        @Override
        public String newUrl() {
            return urls.get();
        }

        @Override
        public void restart(Random random) {
            if (random.nextBoolean()) {
                server.kill();
            } else {
                server.stop();
            }
            server.start();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    /** H2 in this process, reached over TCP by others: it can be stopped in good order only. */
    final class H2Server implements ChaosDatabase {
        private final int port = FreePorts.take();
        private final Path folder = Files.createTempDirectory("outbox-chaos");
        private Server server = open();
        private int made;

        H2Server() throws IOException, SQLException {}

        private Server open() throws SQLException {
            return Server.createTcpServer(
                            "-tcpPort", Integer.toString(port), "-baseDir", folder.toString(), "-ifNotExists")
                    .start();
        }

        @Override
        public String newUrl() {
            return "jdbc:h2:tcp://127.0.0.1:" + port + "/./chaos" + ++made + ";DB_CLOSE_ON_EXIT=FALSE";
        }

        @Override
        public void restart(Random random) throws SQLException {
            server.stop();
            server = open();
        }

        @Override
        public void close() {
            server.stop();
            try (var files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
                Files.delete(folder);
            } catch (IOException left) {
                // The folder of temporary files is cleaned by others.
            }
        }
    }
}
