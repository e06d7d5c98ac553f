package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The statement of {@code docs/worker.md} keeps repeats and replaced owners out. */
class WorkerDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "worker.md");

    private Connection database;
    private String statement;

    @BeforeEach
    void open() throws Exception {
        var block = Pattern.compile("```sql\n(UPDATE.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
        assertThat(block.find()).isTrue();
        statement = block.group(1);
        database = DriverManager.getConnection("jdbc:h2:mem:" + UUID.randomUUID());
        execute("CREATE TABLE partition_state (partition_id VARCHAR(64) PRIMARY KEY, generation BIGINT, epoch BIGINT,"
                + " sequence BIGINT)");
        execute("INSERT INTO partition_state VALUES ('7', 1, 5, 100)");
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    private int execute(String sql) throws SQLException {
        try (var run = database.createStatement()) {
            return run.executeUpdate(sql);
        }
    }

    private boolean written(long generation, long epoch, long sequence) throws SQLException {
        return execute(statement
                        .replace(":partition", "'7'")
                        .replace(":generation", Long.toString(generation))
                        .replace(":epoch", Long.toString(epoch))
                        .replace(":sequence", Long.toString(sequence)))
                == 1;
    }

    @Test
    void theOwnerWritesItsNextMessage() throws Exception {
        assertThat(written(1, 5, 101)).isTrue();
        assertThat(written(1, 6, 103)).as("the next owner").isTrue();
        assertThat(written(2, 0, 104))
                .as("after the number of partitions changed")
                .isTrue();
    }

    @Test
    void aRepeatIsNotWritten() throws Exception {
        assertThat(written(1, 5, 100)).isFalse();
        assertThat(written(1, 6, 99)).isFalse();
    }

    @Test
    void aReplacedOwnerDoesNotWrite() throws Exception {
        assertThat(written(1, 4, 101)).isFalse();
        assertThat(written(0, 9, 101)).isFalse();
    }
}
