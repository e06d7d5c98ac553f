package dev.sluice.rocksdb;

import static dev.sluice.testkit.contract.SampleEvents.event;
import static dev.sluice.testkit.contract.SampleEvents.numbers;
import static dev.sluice.testkit.contract.SampleEvents.oneASecond;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.log.EventLog;
import dev.sluice.log.EventRecord;
import dev.sluice.log.Located;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.testkit.contract.EventLogContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksEventLogTest extends EventLogContract {
    @TempDir
    Path path;

    private int opened;

    @Override
    protected EventLog open(SegmentLimits limits) {
        return new RocksEventLog(path, "main" + opened++, RocksSettings.DEFAULT.withSegments(limits));
    }

    @Test
    void aVirtualThreadReadsThroughAPlatformThread() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            EventLog log = open(SegmentLimits.DEFAULT);
            log.append(oneASecond(1, 4), null);
            Callable<LogRead> read = () -> log.read(log.state().evictedThrough().position(), 10, Long.MAX_VALUE);
            LogRead.Entries found = (LogRead.Entries) threads.submit(read).get();
            assertThat(numbers(found.entries())).containsExactly(1L, 2L, 3L);
            log.close();
            assertThatThrownBy(() -> threads.submit(read).get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(LogUnavailableException.class);
        }
    }

    @Test
    void theMarkerOfAnEmptyLogOutlivesRestartsAndNotTheFirstEviction() {
        RocksSettings settings = new RocksSettings(256 << 10, false, new SegmentLimits(1, 1));
        EventId early;
        try (RocksEventLog log = new RocksEventLog(path, "young", settings)) {
            early = log.state().head().id();
        }
        try (RocksEventLog log = new RocksEventLog(path, "young", settings)) {
            assertThat(log.locate(early)).isEqualTo(new Located.At(LogPosition.START));
            log.append(oneASecond(1, 5), null);
        }
        try (RocksEventLog log = new RocksEventLog(path, "young", settings)) {
            assertThat(log.locate(early))
                    .isEqualTo(new Located.At(log.state().evictedThrough().position()));
            log.evict(ClusterTime.of(2, 1));
        }
        try (RocksEventLog log = new RocksEventLog(path, "young", settings)) {
            assertThat(log.locate(early)).isInstanceOf(Located.TooOld.class);
        }
    }

    @Test
    void theIdentityOutlivesRestartsAndEvictions() {
        RocksSettings settings = new RocksSettings(256 << 10, false, new SegmentLimits(1, 1));
        long identity;
        try (RocksEventLog log = new RocksEventLog(path, "kept", settings)) {
            identity = log.state().identity();
            log.append(oneASecond(1, 5), null);
        }
        try (RocksEventLog log = new RocksEventLog(path, "kept", settings)) {
            assertThat(log.state().identity()).isEqualTo(identity);
            log.evict(ClusterTime.of(2, 1));
        }
        try (RocksEventLog log = new RocksEventLog(path, "kept", settings)) {
            assertThat(log.state().identity()).isEqualTo(identity);
        }
    }

    /** Row 8: max_size bounds the disk only if what is evicted leaves it. */
    @Test
    void evictionGivesTheDiskItsSpaceBack() throws Exception {
        RocksSettings settings = new RocksSettings(256 << 10, false, new SegmentLimits(100_000, 60));
        try (RocksEventLog log = new RocksEventLog(path, "big", settings)) {
            for (int n = 1; n <= 5000; n += 50) {
                log.append(some(n, n + 50), null);
            }
            long before = tableBytes();
            assertThat(before).isGreaterThan(15 << 20);
            log.evict(ClusterTime.of(4500, 1));
            for (int n = 5001; n <= 5200; n += 20) {
                log.append(some(n, n + 20), null);
                log.evict(ClusterTime.of(n - 500, 1));
            }
            long after = tableBytes();
            System.out.println("tables took " + before + " bytes before eviction, " + after + " after");
            assertThat(after).isLessThan(before / 3);
        }
    }

    private static List<EventRecord> some(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> event(n, 1, n, 4000)).toList();
    }

    private long tableBytes() throws IOException {
        try (Stream<Path> files = Files.list(path.resolve("big"))) {
            return files.filter(file -> file.toString().endsWith(".sst"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
