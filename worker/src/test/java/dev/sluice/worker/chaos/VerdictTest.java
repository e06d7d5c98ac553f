package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.cursor.Cursor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static final long START = System.nanoTime();

    private final HandlingLedger ledger = new HandlingLedger();

    @Test
    void everythingOnceAndInOrderIsClean() {
        published(3);
        handled("a", 1, 0, 1, 2, 3);
        assertThat(ledger.verdict().isClean()).isTrue();
        assertThat(ledger.missing()).isZero();
    }

    @Test
    void whatWasNeverHandledIsLostAndSkippedIfALaterOneWas() {
        published(4);
        handled("a", 1, 0, 1, 3);
        assertThat(ledger.verdict().lost()).isEqualTo(2);
        assertThat(ledger.verdict().skipped()).isEqualTo(1);
        assertThat(ledger.verdict().isClean()).isFalse();
        assertThat(ledger.missing()).isEqualTo(2);
    }

    @Test
    void aFirstHandlingAfterALaterMessageIsReordered() {
        published(3);
        handled("a", 1, 0, 1, 3);
        handled("b", 2, 1, 2);
        assertThat(ledger.verdict().reordered()).isEqualTo(1);
        assertThat(ledger.verdict().isClean()).isFalse();
    }

    @Test
    void anOlderTokenIsRefusedAndCountedApart() {
        published(2);
        handled("b", 2, 0, 1, 2);
        assertThat(ledger.handled(at(1), "a", 0, 1, 1, new FencingToken(0, 1), 1))
                .isFalse();
        assertThat(ledger.verdict().stale()).isEqualTo(1);
        assertThat(ledger.verdict().duplicates()).isZero();
        assertThat(ledger.verdict().isClean()).isTrue();
    }

    @Test
    void theNextOwnerMayRepeatOnlyWhatNoCursorCanHaveCovered() {
        published(4);
        handled("a", 1, 0, 1, 2);
        handled("a", 1, 10, 3);
        handled("b", 2, 12, 3, 4);
        assertThat(ledger.verdict().duplicates()).isEqualTo(1);
        assertThat(ledger.verdict().bound()).isEqualTo(1);
        assertThat(ledger.verdict().isClean()).isTrue();

        handled("c", 3, 13, 2, 3, 4);
        assertThat(ledger.verdict().beyondBound()).isEqualTo(1);
        assertThat(ledger.verdict().isClean()).isFalse();
    }

    /** Within the time in which no cursor need be saved yet: what counts is the cursor that was. */
    @Test
    void theNextOwnerMayNotRepeatWhatTheCursorInItsClaimCovers() {
        published(4);
        handled("a", 1, 0, 1, 2, 3, 4);
        claimed(2, new Cursor(1, 1, List.of(3L), 0, 0, 0), 0);
        handled("b", 2, 1, 2, 4);
        assertThat(ledger.verdict().duplicates()).isEqualTo(2);
        assertThat(ledger.verdict().bound()).isEqualTo(2);
        assertThat(ledger.verdict().isClean()).isTrue();

        claimed(3, new Cursor(1, 1, List.of(3L), 0, 0, 0), 1);
        handled("c", 3, 2, 2, 3, 4);
        assertThat(ledger.verdict().duplicates()).isEqualTo(5);
        assertThat(ledger.verdict().bound()).isEqualTo(4);
        assertThat(ledger.verdict().beyondBound()).isEqualTo(1);
        assertThat(ledger.verdict().isClean()).isFalse();
    }

    @Test
    void aTakerThatIgnoresWhatTheOwnerBeforeHadSavedIsFound() {
        published(3);
        handled("a", 1, 0, 1, 2);
        handled("a", 1, 2, 3);
        ledger.saved().saved(0, new FencingToken(0, 1), Cursor.startingAfter(1, 1), at(1));
        ledger.saved().saved(0, new FencingToken(0, 1), Cursor.startingAfter(1, 2), at(2));
        claimed(2, Cursor.startingAfter(1, 0), 4);
        handled("b", 2, 5, 2, 3);
        assertThat(ledger.verdict().bound())
                .as("the second one was saved too late")
                .isEqualTo(2);
        assertThat(ledger.verdict().isClean()).isTrue();

        published(4);
        claimed(3, Cursor.startingAfter(1, 0), 5);
        handled("c", 3, 6, 2, 3, 4);
        assertThat(ledger.verdict().beyondBound()).isEqualTo(1);
        assertThat(ledger.verdict().isClean()).isFalse();
    }

    @Test
    void anOwnerThatDiesBeforeItsFirstCursorLeavesWhatWasUncoveredBefore() {
        published(5);
        handled("a", 1, 0, 1, 2, 3, 4);
        handled("b", 2, 1, 1, 2);
        handled("c", 3, 2, 1, 2, 3, 4, 5);
        assertThat(ledger.verdict().duplicates()).isEqualTo(6);
        assertThat(ledger.verdict().bound()).isEqualTo(8);
        assertThat(ledger.verdict().isClean()).isTrue();
    }

    @Test
    void underOneTokenNothingIsHandledTwiceExceptInAnotherAttempt() {
        published(1);
        handled("a", 1, 0, 1);
        ledger.handled(at(0), "a", 0, 1, 1, new FencingToken(0, 1), 2);
        assertThat(ledger.verdict().violations()).isEmpty();
        handled("a", 1, 0, 1);
        assertThat(ledger.verdict().violations()).hasSize(1);
    }

    @Test
    void aMessageThatTheStreamHasTwiceIsCountedApart() {
        published(1);
        handled("a", 1, 0, 1);
        ledger.handled(at(0), "a", 0, 1, 2, new FencingToken(0, 1), 1);
        assertThat(ledger.verdict().storedTwice()).isEqualTo(1);
        assertThat(ledger.verdict().duplicates()).isZero();
        assertThat(ledger.verdict().isClean()).isTrue();
    }

    @Test
    void twoProcessesUnderOneTokenAreAViolation() {
        published(2);
        handled("a", 1, 0, 1);
        handled("b", 1, 0, 2);
        assertThat(ledger.verdict().violations()).hasSize(1);
    }

    private void claimed(long epoch, Cursor start, int second) {
        ledger.saved().claimed(0, new FencingToken(0, epoch), start, at(second));
    }

    private void published(int count) {
        ledger.published(0, count);
    }

    private void handled(String process, long epoch, int second, long... numbers) {
        for (long number : numbers) {
            assertThat(ledger.handled(at(second), process, 0, number, number, new FencingToken(0, epoch), 1))
                    .isTrue();
        }
    }

    private static long at(int second) {
        return START + Duration.ofSeconds(second).toNanos();
    }
}
