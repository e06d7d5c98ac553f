package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class MariaDbServerTest extends RealServerContract<MariaDbServer> {

    private static final String TABLE =
            "CREATE TABLE IF NOT EXISTS texts (id BIGINT AUTO_INCREMENT PRIMARY KEY, content TEXT)";

    @Override
    MariaDbServer startPrivate() {
        return MariaDbServer.startPrivate();
    }

    @Override
    MariaDbServer shared() {
        return MariaDbServer.shared();
    }

    @Override
    SqlTexts connect(MariaDbServer server) throws SQLException {
        try (var connection = DriverManager.getConnection(patient(server.url()));
                var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE IF NOT EXISTS texts");
        }
        return connect(server.jdbcUrl("texts"));
    }

    private static SqlTexts connect(String url) throws SQLException {
        return SqlTexts.connect(patient(url), TABLE);
    }

    private static String patient(String url) {
        return url + "&socketTimeout=%1$d&connectTimeout=%1$d".formatted(PATIENCE.toMillis());
    }

    @Test
    void everyTestMayHaveADatabaseOfItsOwn() throws SQLException {
        var server = MariaDbServer.shared();
        try (var one = connect(server.jdbcUrl(server.createDatabase()));
                var other = connect(server.jdbcUrl(server.createDatabase()))) {
            one.write("mine");
            assertThat(one.readAll()).containsExactly("mine");
            assertThat(other.readAll()).isEmpty();
        }
    }

    @Test
    void aCommitIsOnDiskWhenItIsAnswered() throws SQLException {
        try (var client = connect(server)) {
            assertThat(client.column("SELECT @@innodb_flush_log_at_trx_commit")).containsExactly("1");
        }
    }
}
