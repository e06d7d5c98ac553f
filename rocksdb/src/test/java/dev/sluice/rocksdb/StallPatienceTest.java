package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

class StallPatienceTest {
    private static final RocksDBException STALLED =
            new RocksDBException(new Status(Status.Code.Incomplete, Status.SubCode.None, "stall"));

    private final List<Long> pauses = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 10;
    private final StallPatience patience = new StallPatience(() -> nanos, this::pause);
    private int refusals;
    private boolean flushFailed;

    private void pause(long wait) {
        pauses.add(Duration.ofNanos(wait).toMillis());
        nanos += wait;
    }

    private void write() throws RocksDBException {
        if (refusals-- > 0) {
            throw STALLED;
        }
    }

    private void outlast() throws RocksDBException {
        patience.outlast(this::write, () -> flushFailed);
    }

    @Test
    void pausesGrowAndEveryWriteBeginsWithTheShortest() throws Exception {
        refusals = 8;
        outlast();
        refusals = 1;
        outlast();
        assertThat(pauses).containsExactly(2L, 4L, 8L, 16L, 32L, 64L, 100L, 100L, 2L);
    }

    @Test
    void aStallThatDoesNotEndIsToldAfterHalfAMinuteOfSomeHundredAttempts() {
        refusals = Integer.MAX_VALUE;
        assertThatThrownBy(this::outlast).isSameAs(STALLED);
        assertThat(pauses.stream().mapToLong(Long::longValue).sum()).isBetween(30_000L, 30_100L);
        assertThat(pauses).hasSizeLessThan(400);
    }

    @Test
    void nothingIsWaitedForThatFailed() {
        refusals = 1;
        flushFailed = true;
        assertThatThrownBy(this::outlast).isSameAs(STALLED);
        assertThat(pauses).isEmpty();
    }

    @Test
    void anythingButAStallIsToldAtOnce() {
        RocksDBException broken = new RocksDBException(new Status(Status.Code.IOError, Status.SubCode.None, "broken"));
        assertThatThrownBy(() -> patience.outlast(
                        () -> {
                            throw broken;
                        },
                        () -> false))
                .isSameAs(broken);
        assertThat(pauses).isEmpty();
    }
}
