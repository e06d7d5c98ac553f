package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentMarksTest {
    /** Beside a list that is searched from end to end. */
    @Test
    void theLastMarksAreKnownAndNoOthers() {
        for (int window : new int[] {0, 1, 10, 16, 100, 1024}) {
            Random random = new Random(window);
            RecentMarks marks = new RecentMarks(window);
            Deque<Long> expected = new ArrayDeque<>();
            for (int k = 0; k < 5_000; k++) {
                long mark = random.nextInt(3_000) * 0x9E3779B97F4A7C15L;
                assertThat(marks.contains(mark))
                        .as("window %d, mark %d", window, k)
                        .isEqualTo(expected.contains(mark));
                marks.add(mark);
                expected.add(mark);
                if (expected.size() > window) {
                    expected.remove();
                }
                assertThat(marks.isEmpty()).isEqualTo(expected.isEmpty());
                if (k % 1_777 == 1_776) {
                    marks.clear();
                    expected.clear();
                }
            }
        }
    }
}
