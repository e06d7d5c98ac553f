package dev.sluice.devmongo.oplog;

import static org.assertj.core.api.Assertions.assertThat;

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
}
