package dev.sluice.worker.cursor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.model.FencingToken;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CursorTableTest {
    private static final FencingToken TOKEN = new FencingToken(1, 1);

    @Test
    void aTableComesBackAsItWasWritten() {
        CursorTable table = new CursorTable(Map.of(
                3, new CursorTable.Entry(TOKEN, new Cursor(1_763_000_000_000L, 10, List.of(12L, 15L), 16, 2, 1)),
                7, new CursorTable.Entry(TOKEN, Cursor.startingAfter(1, 0))));
        assertThat(CursorTable.parse(table.toBytes())).isEqualTo(table);
        assertThat(table.bounded()).isEqualTo(table);
    }

    /** With {@code order: key} and one blocked key in each partition, the cursors would exceed the largest value of the store. */
    @Test
    void aTableOfManyPartitionsWithManyFinishedSequencesFitsIntoAStoredValue() {
        Map<Integer, CursorTable.Entry> entries = new TreeMap<>();
        for (int partition = 0; partition < 1_000; partition++) {
            List<Long> finished = LongStream.range(0, 1_000)
                    .mapToObj(i -> 10_000_000 + i * 1_000)
                    .toList();
            entries.put(partition, new CursorTable.Entry(TOKEN, new Cursor(1, partition, finished, 0, 0, 0)));
        }
        CursorTable bounded = new CursorTable(entries).bounded();
        assertThat(bounded.toBytes()).hasSizeLessThan(CoordinationStore.MAX_VALUE / 2);
        assertThat(bounded.entries()).hasSize(1_000);
        assertThat(bounded.of(999, TOKEN).low()).isEqualTo(999);
        assertThat(bounded.of(999, TOKEN).finished()).hasSize(50).startsWith(10_000_000L);
    }
}
