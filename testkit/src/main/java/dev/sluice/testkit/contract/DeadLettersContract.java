package dev.sluice.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deliver.EventType;
import dev.sluice.lane.DeadLetter;
import dev.sluice.lane.DeadLetters;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link DeadLetters} promises. */
public abstract class DeadLettersContract {
    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00.123456Z");

    private @Nullable DeadLetters opened;

    /** Empty, and of this test alone. */
    protected abstract DeadLetters open();

    /** Closes them and opens them again, as the next process would. */
    protected abstract DeadLetters reopen(DeadLetters letters);

    @BeforeEach
    void openLetters() {
        opened = open();
    }

    @AfterEach
    void closeLetters() {
        letters().close();
    }

    private DeadLetters letters() {
        return Objects.requireNonNull(opened);
    }

    private void reopen() {
        opened = reopen(letters());
    }

    @Test
    protected void nothingIsThereAtFirst() {
        assertThat(letters().list("", 10)).isEmpty();
        assertThat(letters().find("x")).isEmpty();
        assertThat(letters().count()).isZero();
        assertThat(letters().delete("x")).isFalse();
        assertThat(letters().deleteBefore(NOON)).isZero();
    }

    @Test
    protected void whatWasStoredIsThereWholeForWhoeverOpensItLater() {
        DeadLetter odd = new DeadLetter(
                "id/é",
                "g",
                "s\u0000",
                "1-2-0000000000000003",
                EventType.LEAVE,
                255,
                "{\"id\":\"é\"}".getBytes(StandardCharsets.UTF_8),
                "400: \"no\"",
                NOON,
                4,
                List.of("a", "", "é"),
                Priority.LOW);
        DeadLetter large = letter("large", NOON, 1, new byte[3 << 20]);
        letters().store(List.of(odd, large));
        for (int round = 0; round < 2; round++) {
            assertThat(letters().find("id/é")).hasValueSatisfying(found -> assertSame(found, odd));
            assertThat(letters().find("large")).hasValueSatisfying(found -> assertSame(found, large));
            assertThat(letters().count()).isEqualTo(2);
            reopen();
        }
    }

    @Test
    protected void theyAreListedInTheOrderTheyCameAlsoAfterReopening() {
        List<String> ids = List.of("m", "z", "a", "q", "b");
        letters().store(List.of(letter("m", NOON, 1), letter("z", NOON, 1)));
        letters().store(List.of(letter("a", NOON.minusSeconds(9), 1)));
        reopen();
        letters().store(List.of(letter("q", NOON, 1), letter("b", NOON, 1)));
        assertThat(ids(letters().list("", 10))).isEqualTo(ids);
        assertThat(ids(letters().list("", 2))).containsExactly("m", "z");
        assertThat(ids(letters().list("z", 2))).containsExactly("a", "q");
        assertThat(ids(letters().list("b", 2))).isEmpty();
        assertThatThrownBy(() -> letters().list("never", 10)).isInstanceOf(InvalidInputException.class);
    }

    @Test
    protected void storedAgainItIsOneEntryInItsPlaceWithTheNewReason() {
        letters().store(List.of(letter("a", NOON, 1), letter("b", NOON, 1), letter("a", NOON.plusSeconds(1), 2)));
        letters().store(List.of(letter("a", NOON.plusSeconds(5), 3)));
        reopen();
        letters().store(List.of(letter("a", NOON.plusSeconds(7), 4)));
        assertThat(ids(letters().list("", 10))).containsExactly("a", "b");
        assertThat(letters().count()).isEqualTo(2);
        DeadLetter found = letters().find("a").orElseThrow();
        assertThat(found.attempts()).isEqualTo(4);
        assertThat(found.reason()).isEqualTo("attempt 4");
        assertThat(found.history()).containsExactly("attempt 4 failed");
        assertThat(found.at()).as("age counts from entry").isEqualTo(NOON);
    }

    @Test
    protected void whatWasDeletedIsGoneAndMayComeAgainAsANewEntry() {
        letters().store(List.of(letter("a", NOON, 1), letter("b", NOON, 1)));
        assertThat(letters().delete("a")).isTrue();
        assertThat(letters().delete("a")).isFalse();
        assertThat(letters().find("a")).isEmpty();
        reopen();
        assertThat(ids(letters().list("", 10))).containsExactly("b");
        letters().store(List.of(letter("a", NOON.plusSeconds(3), 1)));
        assertThat(ids(letters().list("", 10))).containsExactly("b", "a");
        assertThat(letters().find("a").orElseThrow().at()).isEqualTo(NOON.plusSeconds(3));
        assertThat(letters().count()).isEqualTo(2);
        assertThat(letters().deleteBefore(NOON.plusSeconds(1)))
                .as("nothing is left of the first")
                .isEqualTo(1);
        assertThat(ids(letters().list("", 10))).containsExactly("a");
    }

    @Test
    protected void theOldAreRemovedByTheirTimeOfEntry() {
        letters().store(List.of(letter("new", NOON, 1), letter("old", NOON.minusSeconds(10), 1)));
        letters().store(List.of(letter("oldest", NOON.minusSeconds(20), 1)));
        assertThat(letters().deleteBefore(NOON.minusSeconds(20))).isZero();
        assertThat(letters().deleteBefore(NOON)).isEqualTo(2);
        reopen();
        assertThat(ids(letters().list("", 10))).containsExactly("new");
        assertThat(letters().count()).isEqualTo(1);
        assertThat(letters().find("old")).isEmpty();
    }

    @Test
    protected void manyThreadsMayStoreTheSameAtOnceAndItIsOne() throws Exception {
        List<DeadLetter> batch =
                IntStream.range(0, 100).mapToObj(k -> letter("l" + k, NOON, 1)).toList();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int w = 0; w < 4; w++) {
                writers.add(threads.submit(() -> letters().store(batch)));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
        assertThat(letters().count()).isEqualTo(100);
        assertThat(ids(letters().list("", 1000))).isEqualTo(ids(batch));
    }

    @Test
    protected void aPageOfLargeOnesIsShorterAndStillLeadsToTheEnd() {
        byte[] large = new byte[6 << 20];
        for (int k = 0; k < 6; k++) {
            letters().store(List.of(letter("l" + k, NOON, 1, large)));
        }
        List<String> seen = new ArrayList<>();
        List<DeadLetter> page = letters().list("", 1000);
        while (!page.isEmpty()) {
            seen.addAll(ids(page));
            page = letters().list(seen.getLast(), 1000);
        }
        assertThat(seen).containsExactly("l0", "l1", "l2", "l3", "l4", "l5");
    }

    private static List<String> ids(List<DeadLetter> letters) {
        return letters.stream().map(DeadLetter::id).toList();
    }

    private static DeadLetter letter(String id, Instant at, int attempts) {
        return letter(id, at, attempts, "{}".getBytes(StandardCharsets.UTF_8));
    }

    private static DeadLetter letter(String id, Instant at, int attempts, byte[] entry) {
        return new DeadLetter(
                id,
                "g",
                "s",
                "1-2-0000000000000003",
                EventType.INSERT,
                1,
                entry,
                "attempt " + attempts,
                at,
                attempts,
                List.of("attempt " + attempts + " failed"),
                null);
    }

    private static void assertSame(DeadLetter found, DeadLetter stored) {
        assertThat(Arrays.equals(found.entry(), stored.entry())).isTrue();
        assertThat(found).usingRecursiveComparison().ignoringFields("entry").isEqualTo(stored);
    }
}
