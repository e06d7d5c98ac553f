package dev.sluice.worker.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What every place for dead letters promises. */
abstract class DeadLettersContract {
    /** An empty one with room for {@value #ROOM} small letters; a retry can publish to stream SOURCE. */
    abstract DeadLetters letters() throws Exception;

    static final int ROOM = 20;

    /** The bodies that retries have published, in order. */
    abstract List<String> published() throws Exception;

    @Test
    void aLetterComesBackAsItWasPut() throws Exception {
        DeadLetters letters = letters();
        DeadLetter letter = Letters.of(5);
        assertThat(letters.put(letter)).isEqualTo(PutOutcome.STORED);

        StoredLetter shown = letters.show(letter.id()).orElseThrow();
        assertThat(shown.letter()).usingRecursiveComparison().isEqualTo(letter);
        assertThat(letters.show(new LetterId(Letters.CREATED, 7, 6))).isEmpty();
    }

    @Test
    void theSameMessageIsKeptOnce() throws Exception {
        DeadLetters letters = letters();
        letters.put(Letters.of(5));
        assertThat(letters.put(Letters.of(5))).isEqualTo(PutOutcome.ALREADY_THERE);
        assertThat(letters.list(0, 10).letters()).hasSize(1);
    }

    /** The stream has lost its last messages and gives their sequences to others: those would be lost, too. */
    @Test
    void anotherMessageWithTheSameSequenceIsNotTakenForTheOneThatIsKept() throws Exception {
        DeadLetters letters = letters();
        letters.put(Letters.of(5));
        DeadLetter other = Letters.of("SOURCE", "source.eu", 5, "another body");
        assertThat(letters.put(other))
                .isInstanceOfSatisfying(
                        PutOutcome.Full.class,
                        full -> assertThat(full.reason()).contains("another message", "retry or delete"));
        assertThat(letters.show(other.id()).orElseThrow().letter().body()).isEqualTo("body 5".getBytes(UTF_8));
        letters.delete(other.id());
        assertThat(letters.put(other)).isEqualTo(PutOutcome.STORED);
    }

    @Test
    void puttingOneLetterFromManyThreadsKeepsItOnce() throws Exception {
        DeadLetters letters = letters();
        List<Callable<PutOutcome>> puts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            puts.add(() -> letters.put(Letters.of(9)));
        }
        List<PutOutcome> outcomes = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<PutOutcome> put : threads.invokeAll(puts)) {
                outcomes.add(put.get());
            }
        }
        assertThat(outcomes).containsOnlyOnce(PutOutcome.STORED).allMatch(PutOutcome::isKept);
        assertThat(letters.list(0, 10).letters()).hasSize(1);
    }

    @Test
    void pagesFollowEachOther() throws Exception {
        DeadLetters letters = letters();
        for (int i = 1; i <= 5; i++) {
            letters.put(Letters.of(i));
        }
        LetterPage first = letters.list(0, 2);
        LetterPage second = letters.list(first.next(), 2);
        LetterPage third = letters.list(second.next(), 2);
        assertThat(List.of(first, second, third))
                .flatExtracting(LetterPage::letters)
                .extracting(summary -> summary.id().sequence())
                .containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(third.next()).isZero();
        LetterPage all = letters.list(0, 5);
        assertThat(all.letters()).hasSize(5);
        assertThat(all.next()).isZero();
        assertThat(all.letters().getFirst().bytes()).isEqualTo("body 1".length());
    }

    @Test
    void pagesOfNothingAreRefused() {
        assertThatThrownBy(() -> letters().list(0, 0)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> letters().list(0, 1_001)).isInstanceOf(InvalidInputException.class);
    }

    @Test
    void aDeletedLetterIsGoneAndMayBePutAgain() throws Exception {
        DeadLetters letters = letters();
        DeadLetter letter = Letters.of(5);
        letters.put(letter);
        assertThat(letters.delete(letter.id())).isTrue();
        assertThat(letters.delete(letter.id())).isFalse();
        assertThat(letters.show(letter.id())).isEmpty();
        assertThat(letters.list(0, 10).letters()).isEmpty();
        assertThat(letters.put(letter)).isEqualTo(PutOutcome.STORED);
    }

    @Test
    void aFullPlaceRefusesNewLettersAndKeepsTheOldOnes() throws Exception {
        DeadLetters letters = letters();
        for (int i = 1; i <= ROOM; i++) {
            assertThat(letters.put(Letters.of(i))).isEqualTo(PutOutcome.STORED);
        }
        assertThat(letters.put(Letters.of(100))).isInstanceOf(PutOutcome.Full.class);
        assertThat(letters.put(Letters.of(1))).isEqualTo(PutOutcome.ALREADY_THERE);
        letters.delete(Letters.of(1).id());
        assertThat(letters.put(Letters.of(100))).isEqualTo(PutOutcome.STORED);
        assertThat(letters.list(0, 100).letters()).hasSize(ROOM);
    }

    @Test
    void aRetryPublishesTheMessageAndDeletesTheLetter() throws Exception {
        DeadLetters letters = letters();
        DeadLetter letter = Letters.of(5);
        letters.put(letter);
        assertThat(letters.retry(letter.id())).isInstanceOf(RetryOutcome.Retried.class);
        assertThat(published()).containsExactly("body 5");
        assertThat(letters.show(letter.id())).isEmpty();
        assertThat(letters.retry(letter.id())).isInstanceOf(RetryOutcome.Missing.class);
        assertThat(published()).containsExactly("body 5");
    }
}
