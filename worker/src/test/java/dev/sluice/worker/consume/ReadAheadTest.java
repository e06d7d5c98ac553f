package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReadAheadTest {
    private static final int CAPACITY = 400;
    private static final int TOTAL = CAPACITY * ReadAhead.READERS_WITHOUT_LIMIT;

    private final AtomicInteger readers = new AtomicInteger(1);
    private final ReadAhead readAhead = new ReadAhead(CAPACITY, readers::get);

    @Test
    void fewReadersAreNotLimitedByEachOther() {
        readers.set(ReadAhead.READERS_WITHOUT_LIMIT);
        for (int k = 0; k < ReadAhead.READERS_WITHOUT_LIMIT; k++) {
            assertThat(readAhead.share().messages(0, CAPACITY)).isEqualTo(CAPACITY);
        }
    }

    @Test
    void readersThatComeOneAfterTheOtherStayWithinTheBoundTogether() {
        List<ReadAhead.Share> shares = new ArrayList<>();
        long messages = 0;
        long bytes = 0;
        for (int k = 1; k <= 2_000; k++) {
            readers.set(k);
            ReadAhead.Share share = readAhead.share();
            shares.add(share);
            messages += share.messages(0, CAPACITY);
            bytes += share.bytes(0);
        }
        assertThat(messages).isBetween((long) TOTAL, TOTAL + 2_000L);
        assertThat(bytes).isBetween(ReadAhead.MAX_BYTES, ReadAhead.MAX_BYTES + 2_000 * ReadAhead.LEAST_BYTES);

        // The first ones asked for much: when that has expired, everybody gets an equal share.
        shares.forEach(share -> share.messages(0, CAPACITY));
        assertThat(shares).allMatch(share -> share.messages(0, CAPACITY) == TOTAL / 2_000);
    }

    @Test
    void aReaderThatHoldsMoreThanItsShareMayNotAskForMore() {
        ReadAhead.Share early = readAhead.share();
        assertThat(early.messages(0, CAPACITY)).isEqualTo(CAPACITY);
        readers.set(1_000);
        assertThat(early.messages(CAPACITY, CAPACITY)).as("less than it holds").isEqualTo(TOTAL / 1_000);
        assertThat(early.bytes(ReadAhead.MAX_BYTES)).isLessThan(ReadAhead.MAX_BYTES);
    }

    @Test
    void whatAClosedReaderLeavesInQueuesCountsUntilItIsFinished() {
        ReadAhead.Share large = readAhead.share();
        large.messages(0, TOTAL);
        large.keep(() -> TOTAL - 5, () -> 0);
        ReadAhead.Share next = readAhead.share();
        assertThat(next.messages(0, CAPACITY)).isEqualTo(5);
        large.keep(() -> 0, () -> 0);
        assertThat(next.messages(0, CAPACITY)).isEqualTo(CAPACITY);
    }

    @Test
    void aClosedReaderReservesNothingMore() {
        ReadAhead.Share closed = readAhead.share();
        closed.keep(() -> 0, () -> 0);
        assertThat(closed.messages(0, TOTAL)).isZero();
        assertThat(closed.bytes(0)).isZero();
        assertThat(readAhead.share().messages(0, TOTAL)).isEqualTo(TOTAL);
    }
}
