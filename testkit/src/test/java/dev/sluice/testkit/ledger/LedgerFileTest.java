package dev.sluice.testkit.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerFileTest {

    @TempDir
    Path dir;

    private final Ledger ledger = new Ledger().expect("c", Expectation.everyVersion());

    @Test
    void aReplayTellsTheLedgerAllThatWasRecorded() {
        Path file = dir.resolve("ledger");
        try (LedgerFile records = LedgerFile.append(file)) {
            records.attempted("orders/Ä 1", 1);
            records.written("orders/Ä 1", 1);
            records.attempted("orders/Ä 1", 2);
            records.written("orders/Ä 1", 3);
            records.arrived("c", "orders/Ä 1", 1, "id", false);
            records.arrived("c", "orders/Ä 1", 1, "other", true);
            records.arrived("c", "orders/Ä 1", 1, "id", false);
            assertThatThrownBy(() -> records.written("tab\there", 1)).hasMessageContaining("tab");
        }
        LedgerFile.replay(file, ledger);
        LedgerReport.Line line = ledger.report().of("c");
        assertThat(line.owed()).isEqualTo(2);
        assertThat(line.count(Finding.LOST)).isEqualTo(1);
        assertThat(line.count(Finding.DUPLICATE)).isEqualTo(2);
        assertThat(line.count(Finding.UNFLAGGED_DUPLICATE)).isEqualTo(1);
        assertThat(line.count(Finding.CHANGED_ID)).isEqualTo(1);
    }

    @Test
    void anUnfinishedLastLineIsIgnoredAndTakenAwayByTheNextLife() throws IOException {
        Path file = dir.resolve("ledger");
        try (LedgerFile records = LedgerFile.append(file)) {
            records.written("a", 1);
        }
        Files.writeString(file, "written\t2\tunfini", StandardOpenOption.APPEND);
        LedgerFile.replay(file, ledger);
        assertThat(ledger.report().of("c").owed()).isEqualTo(1);
        try (LedgerFile records = LedgerFile.append(file)) {
            records.written("a", 2);
        }
        assertThat(file).content().isEqualTo("written\t1\ta\nwritten\t2\ta\n");
    }

    @Test
    void recordsOfAKilledProcessAreComplete() {
        Path file = dir.resolve("ledger");
        var spec = ProcessSpec.java("ledger-writer", Writer.class.getName(), file.toString());
        try (var writer = ChildProcess.start(spec)) {
            long said = Long.parseLong(
                    writer.awaitLine("wrote (\\d{4,})", Duration.ofSeconds(20)).group(1));
            writer.kill9();
            LedgerFile.replay(file, ledger);
            assertThat(ledger.report().of("c").owed()).isGreaterThanOrEqualTo(said);
        }
    }

    /** Writes to a ledger file as fast as it can and says on stdout how far it is. */
    public static final class Writer {
        private Writer() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] args) {
            try (LedgerFile records = LedgerFile.append(Path.of(args[0]))) {
                for (int v = 1; v < 10_000_000; v++) {
                    records.written("doc", v);
                    if (v % 500 == 0) {
                        System.out.println("wrote " + v);
                    }
                }
            }
        }
    }
}
