package dev.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogPositionTest {
    /** Row 1: as text, "10" sorts before "9" and "1000000000" before "999999999". */
    @Test
    void tenComesAfterNineInEveryPartOfTheKey() {
        List<LogPosition> ordered = List.of(
                new LogPosition(ClusterTime.of(9, 10), 1),
                new LogPosition(ClusterTime.of(10, 9), 9),
                new LogPosition(ClusterTime.of(10, 9), 10),
                new LogPosition(ClusterTime.of(10, 10), 1),
                new LogPosition(ClusterTime.of(999_999_999, 1), 1),
                new LogPosition(ClusterTime.of(1_000_000_000, 1), 1),
                new LogPosition(ClusterTime.of(0xFFFF_FFFFL, 0xFFFF_FFFFL), Integer.MAX_VALUE));
        List<LogPosition> byKey = new ArrayList<>(ordered.reversed());
        byKey.sort((a, b) -> Arrays.compareUnsigned(a.toKey(), b.toKey()));
        assertThat(byKey).isEqualTo(ordered);
        assertThat(ordered).isSorted();
    }

    @Test
    void whatIsNoKeyIsRefused() {
        assertThatThrownBy(() -> LogPosition.ofKey(new byte[11])).isInstanceOf(InvalidInputException.class);
        byte[] negative = new byte[12];
        negative[8] = (byte) 0x80;
        assertThatThrownBy(() -> LogPosition.ofKey(negative)).isInstanceOf(InvalidInputException.class);
    }
}
