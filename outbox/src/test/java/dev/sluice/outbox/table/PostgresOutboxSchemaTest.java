package dev.sluice.outbox.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class PostgresOutboxSchemaTest extends OnlineSchemaContract {
    PostgresOutboxSchemaTest() {
        super(TestDatabase.POSTGRESQL);
    }

    @Test
    void anIndexWhoseBuildingWasInterruptedIsBuiltAgain() throws SQLException {
        OutboxSchema.create(pool());
        String valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('outbox_events_pending')";
        TestDatabase.run(
                pool(),
                "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = to_regclass('outbox_events_pending')");
        assertThat(TestDatabase.ask(pool(), valid)).containsExactly("f");
        OutboxSchema.migrate(pool(), 6);
        assertThat(TestDatabase.ask(pool(), valid)).containsExactly("t");
    }
}
