package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the worker benchmark publishes and counts. */
class WorkerLoadTest {
    private final HandledMessages handled = new HandledMessages();

    @Test
    void aMessageCountsOnceAndRepeatsApart() {
        handled.begin(3, 1_000, 0);
        for (int n = 0; n < 1_000; n++) {
            handled.handled(new BenchMessage(3, n, BenchMessage.now()).encode());
        }
        handled.handled(new BenchMessage(3, 64, BenchMessage.now()).encode());
        handled.handled(new BenchMessage(2, 65, BenchMessage.now()).encode());
        assertThat(handled.count()).isEqualTo(1_000);
        assertThat(handled.repeats()).isEqualTo(2);
    }

    @Test
    void latencyCountsFromTheEndOfTheRampOn() {
        long now = BenchMessage.now();
        handled.begin(1, 100, now - 5_000_000);
        handled.handled(new BenchMessage(1, 0, now - 50_000_000).encode());
        for (int n = 1; n < 100; n++) {
            handled.handled(new BenchMessage(1, n, now - (n == 99 ? 4_000_000 : 0)).encode());
        }
        assertThat(handled.quantile(0.5)).isLessThan(4_000_000);
        assertThat(handled.quantile(1)).isBetween(4_000_000L, 50_000_000L);
    }

    @Test
    void bareConsumersShareAllPartitionsAndNoneTwice() {
        for (WorkerShape shape : List.of(WorkerShape.hashed(64, 500), WorkerShape.literal(2_000))) {
            List<String> filters = new ArrayList<>();
            for (int consumer = 0; consumer < 25; consumer++) {
                filters.addAll(shape.filtersOf(consumer, 25));
            }
            assertThat(filters)
                    .containsExactlyInAnyOrderElementsOf(shape.filters())
                    .doesNotHaveDuplicates();
            assertThat(WorkerShape.parse(shape.toString())).isEqualTo(shape);
        }
    }

    @Test
    void everySubjectGetsMessages() {
        Set<Integer> subjects = new HashSet<>();
        IntStream.range(0, 40_000).forEach(n -> subjects.add(WorkerShape.subjectOf(n, 2_000)));
        assertThat(subjects).hasSize(2_000);
    }

    @Test
    void thePauseOfAMoveIsItsQuantileByRank() {
        List<HandlingTimeline.Move> moves = IntStream.rangeClosed(1, 100)
                .mapToObj(n -> new HandlingTimeline.Move("p", "a", "b", n * 1_000_000L))
                .toList();
        WorkerMoves.Pauses pauses = new WorkerMoves.Pauses("planned", moves, 99);
        assertThat(pauses.quantile(0.99)).isEqualTo(99);
        assertThat(pauses.failures()).hasSize(1);
        assertThat(new WorkerMoves.Pauses("planned", moves, 100).failures()).isEmpty();
    }
}
