package dev.sluice.devmongo.oplog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.junit.jupiter.api.Test;

class OplogTest {
    private final AtomicLong seconds = new AtomicLong(1_000);

    private Oplog oplog(OplogLimit limit) {
        return new Oplog(new OplogSettings(() -> Instant.ofEpochSecond(seconds.get()), limit, false, false));
    }

    @Test
    void timesGrowAlsoWhenTheClockStandsStillOrJumpsBack() {
        Oplog oplog = oplog(OplogLimit.DEFAULT);
        List<BsonTimestamp> times = new ArrayList<>();
        for (long second : new long[] {1_000, 1_000, 1_001, 900, 900, 1_001, 1_002}) {
            seconds.set(second);
            times.add(oplog.noop());
        }
        assertThat(times).isSorted().doesNotHaveDuplicates();
        assertThat(times.getLast()).isEqualTo(new BsonTimestamp(1_002, 1));
    }

    @Test
    void whatDoesNotFitLeavesAtTheOldEndAndIsKnownToBeLost() {
        Oplog oplog = oplog(new OplogLimit(Long.MAX_VALUE, 3));
        BsonTimestamp first = oplog.noop();
        assertThat(oplog.lost(first)).isFalse();
        for (int i = 0; i < 3; i++) {
            oplog.noop();
        }
        assertThat(oplog.lost(first)).isTrue();
        assertThat(oplog.lost(oplog.oldest())).isFalse();
        assertThat(oplog.from(new BsonTimestamp(0, 0), true)).hasSize(3);
    }

    @Test
    void theSizeInBytesIsBoundedToo() {
        Oplog oplog = oplog(new OplogLimit(10_000, Integer.MAX_VALUE));
        for (int i = 0; i < 100; i++) {
            oplog.appendEvent(
                    BsonDocument.parse("{operationType: 'insert', ns: {db: 'd', coll: 'c'}, documentKey: {_id: " + i
                            + "}, fullDocument: {_id: " + i + ", text: '" + "x".repeat(500) + "'}}"));
        }
        assertThat(oplog.from(new BsonTimestamp(0, 0), true)).hasSizeBetween(5, 15);
    }

    @Test
    void aReaderWaitsForTheNextCommittedWrite() throws Exception {
        Oplog oplog = oplog(OplogLimit.DEFAULT);
        BsonTimestamp seen = oplog.newest();
        oplog.holdCommitted(seen);
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            try {
                oplog.awaitAfter(seen, System.nanoTime() + TimeUnit.SECONDS.toNanos(20), () -> false);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
        oplog.noop();
        assertThat(oplog.from(seen, false)).isEmpty();
        assertThat(reader).isNotDone();
        oplog.holdCommitted(null);
        reader.get(10, TimeUnit.SECONDS);
        assertThat(oplog.from(seen, false)).hasSize(1);
    }

    /** A stream that had seen what a crash then took back could never be resumed. */
    @Test
    void whereItIsKeptReadersSeeOnlyWhatIsOnDisk() {
        Oplog oplog = Oplog.toBeResumed(
                new OplogSettings(() -> Instant.ofEpochSecond(seconds.get()), OplogLimit.DEFAULT, false, false));
        Disk disk = new Disk();
        oplog.resume(disk);
        BsonTimestamp seen = oplog.newest();
        disk.works = false;
        BsonTimestamp written = oplog.append(List.of(), null, List.of());
        assertThatThrownBy(oplog::sync).hasMessage("full");
        assertThat(oplog.newest()).isEqualTo(written);
        assertThat(oplog.committed()).isEqualTo(seen);
        assertThat(oplog.from(seen, false)).isEmpty();
        disk.works = true;
        oplog.sync();
        assertThat(oplog.from(seen, false)).extracting(OplogEntry::time).containsExactly(written);
        assertThat(disk.kept).isEqualTo(List.copyOf(oplog.all()));
    }

    private static final class Disk implements OplogKeeper {
        final List<OplogEntry> kept = new ArrayList<>();
        boolean works = true;

        @Override
        public void append(OplogEntry entry, List<Effect> effects) {
            kept.add(entry);
        }

        @Override
        public void evicted(BsonTimestamp oldest) {}

        @Override
        public void sync() {
            if (!works) {
                throw new IllegalStateException("full");
            }
        }
    }
}
