package dev.sluice.rocksdb;

import static dev.sluice.testkit.contract.SampleEvents.checkpoint;
import static dev.sluice.testkit.contract.SampleEvents.event;
import static dev.sluice.testkit.contract.SampleEvents.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.DamagedLogException;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.model.ClusterTime;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.WriteBatch;

/** Row 18: a torn tail is what a crash leaves; any other damage is refused by name, never repaired silently. */
class DamagedFilesTest {
    private static final RocksSettings SMALL = new RocksSettings(64 << 10, false, RocksSettings.DEFAULT.segments());

    @TempDir
    Path path;

    private RocksEventLog open() {
        return new RocksEventLog(path, "main", SMALL);
    }

    /** Five appends of ten events each, still in the write-ahead log. */
    private void writeFifty() {
        try (RocksEventLog log = open()) {
            for (int n = 1; n <= 50; n += 10) {
                log.append(events(n, n + 10, 0), checkpoint(n + 9, 1));
            }
        }
    }

    /** Enough for several table files. */
    private void writeTables() {
        try (RocksEventLog log = open()) {
            for (int n = 1; n <= 1000; n += 10) {
                log.append(events(n, n + 10, 1000), checkpoint(n + 9, 1));
            }
        }
    }

    private static List<EventRecord> events(int from, int to, int bytes) {
        List<EventRecord> events = new ArrayList<>();
        for (int n = from; n < to; n++) {
            events.add(event(n, 1, n, bytes));
        }
        return events;
    }

    private List<Path> files(String suffix) {
        try (Stream<Path> all = Files.list(path.resolve("main"))) {
            return all.filter(file -> file.getFileName().toString().matches(suffix))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void cut(Path file, long bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(open.length() - bytes);
        }
    }

    private static void flip(Path file, double where) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            long at = (long) (where * open.length());
            open.seek(at);
            int old = open.read();
            open.seek(at);
            open.write(old ^ 0xFF);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 100, 900})
    void aTornTailLosesOnlyWholeAppendsFromTheEndAndTheCheckpointWithThem(long bytes) throws IOException {
        writeFifty();
        cut(files(".*\\.log").getLast(), bytes);
        try (RocksEventLog log = open()) {
            long last = log.state().head().id().hash();
            assertThat(last % 10).as("whole appends").isZero();
            assertThat(last).isLessThan(50);
            Checkpoint checkpoint = log.state().checkpoint();
            assertThat(checkpoint).isEqualTo(last == 0 ? null : checkpoint(last, 1));
            LogRead read = log.read(log.state().evictedThrough().position(), 100, Long.MAX_VALUE);
            assertThat(numbers(((LogRead.Entries) read).entries()))
                    .isEqualTo(LongStream.rangeClosed(1, last).boxed().toList());
            log.append(events((int) last + 1, 51, 0), checkpoint(50, 1));
            assertThat(log.state().events()).isEqualTo(50);
        }
    }

    @Test
    void damageInTheMiddleOfTheWriteAheadLogIsRefused() throws IOException {
        writeFifty();
        flip(files(".*\\.log").getLast(), 0.3);
        refused(".log");
    }

    @Test
    void aDamagedTableIsRefusedWhenItIsReadOrVerified() throws IOException {
        writeTables();
        Path table = files(".*\\.sst").getFirst();
        flip(table, 0.3);
        try (RocksEventLog log = open()) {
            assertThatThrownBy(() -> log.read(log.state().evictedThrough().position(), 10_000, Long.MAX_VALUE))
                    .isInstanceOf(DamagedLogException.class)
                    .hasMessageContaining(table.getFileName().toString())
                    .hasMessageContaining("move it away");
            assertThatThrownBy(log::verify).isInstanceOf(DamagedLogException.class);
        }
    }

    @Test
    void aTruncatedTableIsRefused() throws IOException {
        writeTables();
        Path table = files(".*\\.sst").getFirst();
        cut(table, 100);
        refused(table.getFileName().toString());
    }

    @Test
    void aMissingTableIsRefused() throws IOException {
        writeTables();
        Path table = files(".*\\.sst").getFirst();
        Files.delete(table);
        refused(table.getFileName().toString());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5})
    void aDamagedManifestIsRefused(double where) throws IOException {
        writeTables();
        flip(files("MANIFEST.*").getLast(), where);
        refused("MANIFEST");
    }

    @Test
    void aMissingManifestIsRefused() throws IOException {
        writeTables();
        Files.delete(files("MANIFEST.*").getLast());
        refused("MANIFEST");
    }

    /** Without CURRENT the directory would look new, and a new log would grow over the old one. */
    @Test
    void aMissingCurrentFileIsRefused() throws IOException {
        writeTables();
        Files.delete(path.resolve("main/CURRENT"));
        refused("CURRENT");
    }

    private void refused(String file) {
        assertThatThrownBy(() -> open().close())
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining(file)
                .hasMessageContaining("move it away");
    }

    @Test
    void anUnknownFormatIsRefused() throws Exception {
        writeFifty();
        try (RocksStore store = new RocksStore(path.resolve("main"), SMALL);
                WriteBatch batch = new WriteBatch()) {
            batch.put(store.meta(), "format".getBytes(StandardCharsets.US_ASCII), new byte[] {0, 0, 0, 9});
            store.write(batch);
        }
        assertThatThrownBy(() -> open().close())
                .isInstanceOf(DamagedLogException.class)
                .hasMessageContaining("format 9");
    }

    @Test
    void aDirectoryInUseIsRefused() {
        try (RocksEventLog first = open()) {
            assertThatThrownBy(() -> open().close())
                    .isInstanceOf(LogUnavailableException.class)
                    .hasMessageContaining("in use");
            first.append(events(1, 2, 0), null);
        }
    }

    @Test
    void aPathThatIsAFileIsRefused() throws IOException {
        Files.writeString(path.resolve("main"), "not a directory");
        assertThatThrownBy(() -> open().close())
                .isInstanceOf(EventLogException.class)
                .hasMessageContaining("main");
    }

    @Test
    void aFreshLogAfterTheOldOneWasMovedAwayStartsEmpty() throws IOException {
        writeFifty();
        Files.move(path.resolve("main"), path.resolve("main.old"));
        try (RocksEventLog log = open()) {
            assertThat(log.state().started()).isFalse();
            assertThat(log.read(LogPosition.before(ClusterTime.ZERO), 1, 1))
                    .isEqualTo(new LogRead.Entries(List.of(), LogPosition.START));
        }
    }
}
