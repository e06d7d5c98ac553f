package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.outbox.table.Row;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
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
        double all = sum;
        Random random = new Random(7);
        send(hot, 50_000, row -> {
            int at = Arrays.binarySearch(upTo, random.nextDouble() * all);
            return "key-" + (at < 0 ? -at - 1 : at);
        });
        assertThat(hot.hottest()).extracting(HotKeys.Hot::key).startsWith("key-0", "key-1");
        assertThat(hot.hottest().getFirst().share()).isCloseTo(1 / sum, Offset.offset(0.02));
    }

    @Test
    void evenKeysAndFewRowsMakeNoneHot() {
        HotKeys even = new HotKeys();
        send(even, 50_000, row -> "key-" + row % 5_000);
        assertThat(even.hottest()).isEmpty();
        HotKeys few = new HotKeys();
        send(few, 100, row -> "only");
        assertThat(few.hottest()).isEmpty();
    }

    @Test
    void whatWasHotLongAgoIsForgotten() {
        HotKeys hot = new HotKeys();
        send(hot, 50_000, row -> "old");
        send(hot, 500_000, row -> "key-" + row % 1_000);
        assertThat(hot.hottest()).isEmpty();
    }

    @Test
    void theAdviceNamesTheKeyItsShareAndWhatHelps() {
        assertThat(new RelayStatus.HotKey(3, "customer-1", 0.41).advice())
                .contains("customer-1", "41 %", "partition 3", "keys of their own");
    }

    /** A transaction writes an order and three lines, always in this order: the order's key is a quarter, not all. */
    @Test
    void rowsWrittenInAPatternAreCountedByTheirShare() {
        HotKeys hot = new HotKeys();
        send(hot, 20_000, row -> row % 4 == 0 ? "order" : "line-" + row % 400);
        assertThat(hot.hottest())
                .singleElement()
                .satisfies(only -> assertThat(only.share()).isCloseTo(0.25, Offset.offset(0.05)));
    }

    private static void send(HotKeys hot, int count, IntFunction<String> keys) {
        for (int from = 0; from < count; from += 500) {
            hot.sent(IntStream.range(from, Math.min(count, from + 500))
                    .mapToObj(row -> new Row(row, 0, "t", keys.apply(row), "", new byte[0], Map.of(), 0, Instant.EPOCH))
                    .toList());
        }
    }
}
