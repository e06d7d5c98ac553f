package dev.sluice.rocksdb;

import static dev.sluice.testkit.contract.SampleEvents.checkpoint;
import static dev.sluice.testkit.contract.SampleEvents.event;
import static dev.sluice.testkit.contract.SampleEvents.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.EventRecord;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogState;
import dev.sluice.log.Segment;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ClusterTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** A log that is closed and opened again at any moment is the same log. */
class RocksReopenPropertiesTest {
    private static final RocksSettings FINE = RocksSettings.DEFAULT.withSegments(new SegmentLimits(600, 5));

    /** Capture stops anywhere, starts again a little before that, and cuts its batches differently: nothing changes. */
    @Property(tries = 25)
    void anyPrefixThenReplayThenTheRestIsTheWhole(@ForAll long seed, @ForAll @IntRange(min = 1, max = 120) int count)
            throws IOException {
        Random random = new Random(seed);
        List<EventRecord> history = history(random, count);
        Path path = Files.createTempDirectory("log");
        try {
            int stored = 0;
            while (stored < count) {
                try (RocksEventLog log = new RocksEventLog(path, "main", FINE)) {
                    int from = Math.max(0, stored - random.nextInt(20));
                    int to = Math.min(count, stored + 1 + random.nextInt(40));
                    for (int at = from; at < to; ) {
                        int end = Math.min(to, at + 1 + random.nextInt(15));
                        log.append(history.subList(at, end), null);
                        at = end;
                    }
                    stored = to;
                }
            }
            try (RocksEventLog log = new RocksEventLog(path, "main", FINE)) {
                assertThat(all(log)).isEqualTo(range(1, count + 1));
                assertThat(log.state().events()).isEqualTo(count);
                assertThat(log.segments().stream().mapToLong(Segment::events).sum())
                        .isEqualTo(count);
            }
        } finally {
            delete(path);
        }
    }

    @Property(tries = 10)
    void whatTheLogKnowsOfItselfSurvives(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        Path path = Files.createTempDirectory("log");
        try {
            LogState before;
            List<Segment> segments;
            try (RocksEventLog log = new RocksEventLog(path, "main", FINE)) {
                if (random.nextBoolean()) {
                    log.append(List.of(), checkpoint(1, 0));
                }
                log.append(history(random, 80), checkpoint(90, 7));
                log.evict(ClusterTime.of(1 + random.nextInt(60), 1));
                before = log.state();
                segments = log.segments();
            }
            try (RocksEventLog log = new RocksEventLog(path, "main", FINE)) {
                assertThat(log.state()).isEqualTo(before);
                assertThat(log.segments()).isEqualTo(segments);
                assertThat(all(log)).hasSize((int) before.events());
            }
        } finally {
            delete(path);
        }
    }

    private static List<EventRecord> history(Random random, int count) {
        List<EventRecord> history = new ArrayList<>();
        long t = 1;
        for (int n = 1; n <= count; n++) {
            t += random.nextInt(4) == 0 ? 0 : 1;
            history.add(event(t, 1, n));
        }
        return history;
    }

    private static List<Long> all(RocksEventLog log) {
        LogRead read = log.read(log.state().evictedThrough().position(), 100_000, Long.MAX_VALUE);
        return numbers(((LogRead.Entries) read).entries());
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
