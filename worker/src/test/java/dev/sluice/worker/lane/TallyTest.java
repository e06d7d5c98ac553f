package dev.sluice.worker.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.lane.Tally.Count;
import org.junit.jupiter.api.Test;

class TallyTest {
    private final Tally tally = new Tally(10);

    private void count(long... sequences) {
        for (long sequence : sequences) {
            tally.count(sequence);
        }
    }

    @Test
    void repeatsAndWhatWasBeforeTheStartAreNotCounted() {
        count(3, 10, 12, 12, 11, 15);
        assertThat(tally.last()).isEqualTo(15);
        assertThat(tally.mark(15)).isTrue();
        assertThat(tally.atMark()).contains(new Count(2, 27));
    }

    @Test
    void theCountAtAMarkAheadIsKnownOnceItIsPassed() {
        count(11);
        assertThat(tally.mark(14)).isTrue();
        assertThat(tally.atMark()).isEmpty();
        count(13);
        assertThat(tally.atMark()).isEmpty();
        count(16, 17);
        assertThat(tally.atMark()).as("without 16 and 17").contains(new Count(2, 24));
    }

    @Test
    void theMessageAtTheMarkBelongsToIt() {
        assertThat(tally.mark(14)).isTrue();
        count(14);
        assertThat(tally.atMark()).contains(new Count(1, 14));
        count(15);
        assertThat(tally.atMark()).contains(new Count(1, 14));
    }

    @Test
    void aMarkThatIsPassedIsRefusedAndLeavesTheOneBefore() {
        count(11, 20);
        assertThat(tally.mark(20)).isTrue();
        assertThat(tally.mark(19)).isFalse();
        assertThat(tally.atMark()).contains(new Count(2, 31));
    }

    @Test
    void aSideThatHasReceivedAllThereIsHasReachedTheMark() {
        count(11);
        assertThat(tally.mark(14)).isTrue();
        tally.settle();
        assertThat(tally.atMark()).contains(new Count(1, 11));
        count(15);
        assertThat(tally.atMark()).contains(new Count(1, 11));
    }

    @Test
    void differencesShowOtherMessagesInEqualNumber() {
        assertThat(new Count(3, 30).minus(new Count(1, 11))).isEqualTo(new Count(2, 19));
        assertThat(new Count(2, 19)).isNotEqualTo(new Count(2, 20));
    }
}
