package dev.sluice.testkit.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it looks at the heap")
class LedgerTest {

    private final Ledger ledger = new Ledger()
            .expect("all", Expectation.everyVersion())
            .expect("coalesced", Expectation.newestVersion())
            .expect("only-a", Expectation.everyVersion().of(document -> document.startsWith("a")));

    @Test
    void whatArrivedCompleteAndInOrderIsClean() {
        write("a1", 3);
        write("b1", 2);
        arrive("all", "a1", 1, 2, 3);
        arrive("all", "b1", 1, 2);
        arrive("coalesced", "a1", 2, 3);
        arrive("coalesced", "b1", 2);
        arrive("only-a", "a1", 1, 2, 3);
        LedgerReport report = ledger.report();
        report.assertClean();
        assertThat(report.of("all").owed()).isEqualTo(5);
        assertThat(report.of("all").arrived()).isEqualTo(5);
        assertThat(report.of("coalesced").owed()).isEqualTo(2);
        assertThat(report.of("coalesced").arrived()).isEqualTo(3);
        assertThat(report.of("only-a").owed()).isEqualTo(3);
    }

    @Test
    void aWriteThatNeverCameIsLostAndNamed() {
        write("a1", 3);
        arrive("all", "a1", 1, 3);
        LedgerReport.Line all = ledger.report().of("all");
        assertThat(all.count(Finding.LOST)).isEqualTo(1);
        assertThat(all.count(Finding.REORDERED)).isZero();
        assertThat(all.toString()).contains("lost 1").contains("lost: a1 v2 never came, newest was 3");
        assertThatThrownBy(() -> ledger.report().assertClean())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a1 v2");
    }

    @Test
    void aFirstOccurrenceBehindANewerOneIsAReordering() {
        write("a1", 3);
        arrive("all", "a1", 1, 3, 2);
        LedgerReport.Line all = ledger.report().of("all");
        assertThat(all.count(Finding.REORDERED)).isEqualTo(1);
        assertThat(all.count(Finding.LOST)).isZero();
        assertThat(all.count(Finding.DUPLICATE)).isZero();
        assertThat(all.toString()).contains("reordered: a1 v2 first came after 3");
        assertThat(ledger.report().isClean()).isFalse();
    }

    @Test
    void aRepeatIsADuplicateHoweverOldAndNeverAReordering() {
        write("a1", 3);
        arrive("all", "a1", 1, 2, 3, 1, 2, 3, 3);
        LedgerReport.Line all = ledger.report().of("all");
        assertThat(all.count(Finding.DUPLICATE)).isEqualTo(4);
        assertThat(all.count(Finding.REORDERED)).isZero();
        assertThat(all.count(Finding.LOST)).isZero();
    }

    @Test
    void aRepeatThatDoesNotSaySoIsCountedApart() {
        write("a1", 1);
        ledger.arrived("all", "a1", 1, "", false);
        ledger.arrived("all", "a1", 1, "", true);
        assertThat(ledger.report().of("all").count(Finding.UNFLAGGED_DUPLICATE)).isZero();
        ledger.arrived("all", "a1", 1, "", false);
        assertThat(ledger.report().of("all").count(Finding.DUPLICATE)).isEqualTo(2);
        assertThat(ledger.report().of("all").count(Finding.UNFLAGGED_DUPLICATE)).isEqualTo(1);
    }

    @Test
    void orderIsJudgedPerDocumentAndPerConsumer() {
        write("a1", 2);
        write("a2", 2);
        arrive("all", "a1", 1, 2);
        arrive("all", "a2", 1, 2);
        arrive("only-a", "a2", 1, 2);
        arrive("only-a", "a1", 1, 2);
        assertThat(ledger.report().count(Finding.REORDERED)).isZero();
        assertThat(ledger.report().count(Finding.DUPLICATE)).isZero();
    }

    @Test
    void aCoalescingConsumerMaySkipButMustGetTheNewest() {
        write("a1", 5);
        arrive("coalesced", "a1", 2, 4);
        LedgerReport.Line line = ledger.report().of("coalesced");
        assertThat(line.count(Finding.LOST)).isEqualTo(1);
        assertThat(line.toString()).contains("a1 v5 never came, newest was 4");
        arrive("coalesced", "a1", 5);
        assertThat(ledger.report().of("coalesced").count(Finding.LOST)).isZero();
        arrive("coalesced", "a1", 3);
        assertThat(ledger.report().of("coalesced").count(Finding.REORDERED)).isEqualTo(1);
    }

    @Test
    void aFilteredConsumerIsOwedOnlyItsDocumentsAndMustGetNoOther() {
        write("a1", 1);
        write("b1", 1);
        arrive("only-a", "a1", 1);
        assertThat(ledger.report().of("only-a").count(Finding.LOST)).isZero();
        arrive("only-a", "b1", 1);
        assertThat(ledger.report().of("only-a").count(Finding.UNWANTED)).isEqualTo(1);
        assertThat(ledger.report().isClean()).isFalse();
    }

    @Test
    void anAttemptOfUnknownOutcomeMayArriveOrNot() {
        write("a1", 1);
        ledger.attempted("a1", 2);
        arrive("all", "a1", 1);
        arrive("coalesced", "a1", 1);
        arrive("only-a", "a1", 1, 2);
        ledger.report().assertClean();
    }

    @Test
    void whatWasNeverWrittenMustNotArrive() {
        arrive("all", "a1", 7);
        assertThat(ledger.report().of("all").count(Finding.NEVER_WRITTEN)).isEqualTo(1);
        ledger.written("a1", 7);
        assertThat(ledger.report().of("all").count(Finding.NEVER_WRITTEN))
                .as("a write may be recorded after it arrived")
                .isZero();
    }

    @Test
    void theSameChangeKeepsItsIdForAllConsumers() {
        write("a1", 2);
        ledger.arrived("all", "a1", 1, "id-1", false);
        ledger.arrived("all", "a1", 1, "id-1", true);
        ledger.arrived("only-a", "a1", 1, "id-1", false);
        assertThat(ledger.report().count(Finding.CHANGED_ID)).isZero();
        ledger.arrived("coalesced", "a1", 1, "id-2", false);
        assertThat(ledger.report().of("coalesced").count(Finding.CHANGED_ID)).isEqualTo(1);
        assertThat(ledger.report().toString()).contains("id-2");
    }

    @Test
    void anEmptyLedgerProvesNothing() {
        assertThatThrownBy(() -> ledger.report().assertClean()).hasMessageContaining("empty");
    }

    @Test
    void theTextShowsOnlyTheFirstFewExamples() {
        write("a1", 1000);
        LedgerReport.Line all = ledger.report().of("all");
        assertThat(all.count(Finding.LOST)).isEqualTo(1000);
        assertThat(all.toString().lines()).hasSizeLessThan(10);
    }

    @Test
    void mistakesOfTheTestAreRefused() {
        assertThatThrownBy(() -> arrive("al", "a1", 1)).hasMessageContaining("al");
        assertThatThrownBy(() -> ledger.expect("all", Expectation.everyVersion()))
                .hasMessageContaining("once");
        assertThatThrownBy(() -> ledger.written("a1", 0)).hasMessageContaining("from 1");
        assertThatThrownBy(() -> ledger.written("a1", Integer.MAX_VALUE)).hasMessageContaining("from 1");
        ledger.written("a1", 1);
        assertThatThrownBy(() -> ledger.written("a1", 1)).hasMessageContaining("once");
        assertThatCode(() -> ledger.written("a1", 2)).doesNotThrowAnyException();
    }

    @Test
    void recordsFromManyThreadsWithoutLosingAny() throws InterruptedException {
        int threads = 4;
        int versions = 20_000;
        Thread[] all = new Thread[2 * threads];
        for (int t = 0; t < threads; t++) {
            String mine = "a" + t;
            all[2 * t] = Thread.ofPlatform().start(() -> write(mine, versions));
            all[2 * t + 1] = Thread.ofPlatform().start(() -> {
                for (int v = 1; v <= versions; v++) {
                    arrive("all", mine, v);
                    arrive("all", "b-shared", v);
                }
            });
        }
        for (Thread thread : all) {
            thread.join();
        }
        write("b-shared", versions);
        LedgerReport.Line line = ledger.report().of("all");
        assertThat(line.owed()).isEqualTo((threads + 1L) * versions);
        assertThat(line.arrived()).isEqualTo((threads + 1L) * versions);
        assertThat(line.count(Finding.LOST)).isZero();
        assertThat(line.count(Finding.DUPLICATE)).isEqualTo((threads - 1L) * versions);
    }

    @Test
    void millionsOfEventsFit() {
        int documents = 50_000;
        int versions = 20;
        long before = usedHeap();
        long start = System.nanoTime();
        for (int v = 1; v <= versions; v++) {
            for (int d = 0; d < documents; d++) {
                String key = "a" + d;
                ledger.written(key, v);
                ledger.arrived("all", key, v, "0123456789abcdef" + d + "." + v, false);
                ledger.arrived("only-a", key, v, "", false);
            }
        }
        long nanos = System.nanoTime() - start;
        LedgerReport report = ledger.report();
        long bytes = usedHeap() - before;
        assertThat(report.of("all").count(Finding.LOST)).isZero();
        assertThat(report.of("coalesced").count(Finding.LOST)).isEqualTo(documents);
        long events = (long) documents * versions;
        print("1M writes, 2M arrivals: %d ms, %d bytes per write", nanos / 1_000_000, bytes / events);
        assertThat(bytes / events)
                .as("bytes per write, two consumers, ids, keys")
                .isLessThan(60);
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private void write(String document, int versions) {
        for (int v = 1; v <= versions; v++) {
            ledger.written(document, v);
        }
    }

    private void arrive(String consumer, String document, int... versions) {
        for (int v : versions) {
            ledger.arrived(consumer, document, v, "", true);
        }
    }

    @SuppressWarnings("SystemOut")
    private static void print(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}
