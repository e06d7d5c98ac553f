package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class HotKeysTest {
    /** Zipf with exponent 1.2 over 10,000 keys: the first has about a fifth, the second a tenth, the third six percent. */
    @Test
    void theKeysOfAZipfDistributionThatMakeATwentiethAreNamedHottestFirst() {
        int keys = 10_000;
        double[] upTo = new double[keys];
        double sum = 0;
        for (int i = 0; i < keys; i++) {
            sum += 1 / Math.pow(i + 1.0, 1.2);
            upTo[i] = sum;
        }
        HotKeys hot = new HotKeys();
        Random random = new Random(7);
        for (int row = 0; row < 50_000; row++) {
            int at = java.util.Arrays.binarySearch(upTo, random.nextDouble() * sum);
            hot.add("key-" + (at < 0 ? -at - 1 : at));
        }
        assertThat(hot.hottest()).extracting(HotKeys.Hot::key).startsWith("key-0", "key-1");
        assertThat(hot.hottest().getFirst().share()).isCloseTo(1 / sum, Offset.offset(0.02));
    }

    @Test
    void evenKeysAndFewRowsMakeNoneHot() {
        HotKeys even = new HotKeys();
        for (int row = 0; row < 50_000; row++) {
            even.add("key-" + row % 5_000);
        }
        assertThat(even.hottest()).isEmpty();
        HotKeys few = new HotKeys();
        for (int row = 0; row < 100; row++) {
            few.add("only");
        }
        assertThat(few.hottest()).isEmpty();
    }

    @Test
    void whatWasHotLongAgoIsForgotten() {
        HotKeys hot = new HotKeys();
        for (int row = 0; row < 50_000; row++) {
            hot.add("old");
        }
        for (int row = 0; row < 500_000; row++) {
            hot.add("key-" + row % 1_000);
        }
        assertThat(hot.hottest()).isEmpty();
    }

    @Test
    void theAdviceNamesTheKeyItsShareAndWhatHelps() {
        assertThat(new RelayStatus.HotKey(3, "customer-1", 0.41).advice())
                .contains("customer-1", "41 %", "partition 3", "keys of their own");
    }
}
