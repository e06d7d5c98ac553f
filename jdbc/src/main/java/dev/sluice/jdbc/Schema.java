package dev.sluice.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;

/** Runs the script that makes the tables. */
final class Schema {
    private static final int TRIES = 3;

    private Schema() {}

    static void create(Database database) {
        database.statement(session -> {
            String script = script(session.dialect());
            for (int tried = 1; ; tried++) {
                try {
                    for (String sql : script.split(";\\s*\n")) {
                        session.execute(sql);
                    }
                    return true;
                } catch (SQLException failed) {
                    // PostgreSQL says so when another node creates the same table at this moment.
                    if (!SqlFailure.isDuplicate(failed) || tried == TRIES) {
                        throw failed;
                    }
                }
            }
        });
    }

    private static String script(Dialect dialect) {
        try (InputStream script = Schema.class.getResourceAsStream(dialect.script())) {
            if (script == null) {
                throw new IllegalStateException("the jar of sluice-jdbc lacks " + dialect.script());
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
