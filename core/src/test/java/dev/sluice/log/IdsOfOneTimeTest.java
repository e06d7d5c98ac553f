package dev.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class IdsOfOneTimeTest {
    @Test
    void whatWasAddedIsKnownAndNothingElseIs() {
        IdsOfOneTime ids = new IdsOfOneTime();
        Random random = new Random(1);
        long[] added = random.longs(5_000).toArray();
        added[100] = 0;
        for (long hash : added) {
            assertThat(ids.add(hash)).isTrue();
        }
        for (long hash : added) {
            assertThat(ids.add(hash)).as("a repeat").isFalse();
        }
        assertThat(ids.size()).isEqualTo(added.length);
        assertThat(random.longs(5_000).filter(ids::contains)).isEmpty();
        ids.clear();
        assertThat(ids.size()).isZero();
        assertThat(ids.contains(added[4_000])).isFalse();
    }

    /** One transaction may bring any number of changes, all of one cluster time. */
    @Test
    void ofAHugeTransactionTheLastAreRemembered() {
        IdsOfOneTime ids = new IdsOfOneTime(1_000);
        for (long hash = 1; hash <= 100_000; hash++) {
            ids.add(hash * 0x9E3779B97F4A7C15L);
            assertThat(ids.size()).isLessThanOrEqualTo(2_016);
        }
        for (long hash = 99_001; hash <= 100_000; hash++) {
            assertThat(ids.contains(hash * 0x9E3779B97F4A7C15L)).isTrue();
        }
    }
}
