package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class PostgresServerTest extends RealServerContract<PostgresServer> {

    private static final String TABLE =
            "CREATE TABLE IF NOT EXISTS texts (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, content TEXT)";

    @Override
    PostgresServer startPrivate() {
        return PostgresServer.startPrivate();
    }

    @Override
    PostgresServer shared() {
        return PostgresServer.shared();
    }

    @Override
    SqlTexts connect(PostgresServer server) throws SQLException {
        return connect(server.url());
    }

    private static SqlTexts connect(String url) throws SQLException {
        var patience = "&socketTimeout=%1$d&connectTimeout=%1$d&loginTimeout=%1$d".formatted(PATIENCE.toSeconds());
        return SqlTexts.connect(url + patience, TABLE);
    }

    @Test
    void everyTestMayHaveADatabaseOfItsOwn() throws SQLException {
        var server = PostgresServer.shared();
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
            assertThat(client.column("SHOW fsync")).containsExactly("on");
            assertThat(client.column("SHOW synchronous_commit")).containsExactly("on");
            assertThat(client.column("SHOW full_page_writes")).containsExactly("on");
        }
    }
}
