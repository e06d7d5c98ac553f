package dev.sluice.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An embedded H2 with {@code WRITE_DELAY=0} has every acknowledged commit after {@code kill -9}, also when it uses the space of
 * old data again. H2 2.5.252 has not: most kills take its last commits. So the version of H2 is a matter of correctness.
 */
@Tag("soak")
@Timeout(180)
class H2CommitsTest {
    private static final int KILLS = 12;

    @TempDir
    Path folder;

    @Test
    void acknowledgedCommitsSurviveKill9() throws Exception {
        SplittableRandom random = new SplittableRandom();
        long toldBefore = 0;
        try (ChildProcess writer = ChildProcess.start(ProcessSpec.java(
                "h2-writer",
                H2Writer.class.getName(),
                url("data"),
                folder.resolve("told").toString()))) {
            for (int kill = 1; kill <= KILLS; kill++) {
                writer.awaitLine("writing", Duration.ofSeconds(30));
                Thread.sleep(random.nextInt(2_000, 4_000));
                assertThat(writer.isAlive()).isTrue();
                writer.kill9();
                long told = told();
                assertThat(told).as("it writes").isGreaterThan(toldBefore);
                toldBefore = told;
                Files.copy(
                        folder.resolve("data.mv.db"),
                        folder.resolve("copy.mv.db"),
                        StandardCopyOption.REPLACE_EXISTING);
                assertThat(stored()).as("commits after kill %d", kill).isGreaterThanOrEqualTo(told);
                writer.restart();
            }
        }
    }

    private String url(String name) {
        // Old space is used again after half a second; by default after 45.
        return "jdbc:h2:file:" + folder.resolve(name) + ";DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=0;RETENTION_TIME=500";
    }

    private long told() throws IOException {
        String text = Files.readString(folder.resolve("told"));
        return Long.parseLong(
                text.substring(0, text.lastIndexOf('\n')).lines().toList().getLast());
    }

    /** Read from a copy: opening the database would repair it. */
    private long stored() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url("copy"));
                Statement statement = connection.createStatement()) {
            var row = statement.executeQuery("SELECT n FROM counter");
            row.next();
            return row.getLong(1);
        }
    }
}
