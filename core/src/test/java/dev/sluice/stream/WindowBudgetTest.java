package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.EventRecord;
import dev.sluice.log.LogReader;
import dev.sluice.model.ProgressMarker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Promise 4: consumers that catch up or stand still cost lag, and together no more than one bound of the heap. */
class WindowBudgetTest {
    private static final int DOCUMENTS = 5_000;
    private static final int CONSUMERS = 40;
    private static final StreamLimits ALWAYS = StreamLimits.DEFAULT.withCatchUpThreshold(10);

    private final TestLog log = new TestLog();
    private final WindowBudget budget = new WindowBudget(4 << 20);
    private final List<EventStream> streams = new ArrayList<>();

    @BeforeEach
    void everyDocumentChangesTwice() {
        List<EventRecord> records = new ArrayList<>();
        for (int k = 0; k < 2 * DOCUMENTS; k++) {
            records.add(EventRecord.of(log.insert(2 + k, "c", "document-" + k % DOCUMENTS, k)));
        }
        log.append(records);
    }

    private EventStream open() {
        StreamRequest request =
                new StreamRequest("", ProgressMarker.NOWHERE, EventFilter.ALL, true, false, DocumentEncoding.BSON);
        TreeMap<String, LogReader> backends = new TreeMap<>(Map.of("b", log.reader));
        EventStream stream = new EventStream(backends, request, ALWAYS, budget, 0);
        streams.add(stream);
        return stream;
    }

    @Test
    void allWindowsTogetherStayWithinTheBudgetAndEverybodyGetsTheLastOfEachDocument() {
        List<TestLog.Collected> got = new ArrayList<>();
        for (int k = 0; k < CONSUMERS; k++) {
            open();
            got.add(new TestLog.Collected());
        }
        long most = 0;
        boolean moving = true;
        while (moving) {
            moving = false;
            for (int k = 0; k < CONSUMERS; k++) {
                Step step = streams.get(k).step(got.get(k), 50, Long.MAX_VALUE, 0);
                moving |= step instanceof Step.Sent || step instanceof Step.Working;
                most = Math.max(most, budget.taken());
            }
        }
        System.out.printf("%d windows took %,d bytes at most%n", CONSUMERS, most);
        assertThat(most).isBetween(1L, budget.total());
        assertThat(budget.taken()).isZero();
        for (TestLog.Collected each : got) {
            assertThat(each.events.stream()
                            .skip(each.events.size() - DOCUMENTS)
                            .map(event -> event.event().documentId().text()))
                    .as("the last state of every document, in order")
                    .containsExactlyElementsOf(allDocuments());
        }
    }

    private static List<String> allDocuments() {
        List<String> all = new ArrayList<>();
        for (int k = 0; k < DOCUMENTS; k++) {
            all.add("document-" + k);
        }
        return all;
    }

    @Test
    void whoStandsStillWithinAWindowHoldsNextToNothingOfIt() {
        EventStream stream = open();
        TestLog.Collected got = new TestLog.Collected();
        long scanning = 0;
        while (got.events.isEmpty()) {
            stream.step(got, 1, Long.MAX_VALUE, 0);
            scanning = Math.max(scanning, budget.taken());
        }
        stream.pause();
        System.out.printf("%,d bytes while scanning, %,d when standing still%n", scanning, budget.taken());
        assertThat(scanning).isGreaterThan(100_000);
        assertThat(budget.taken()).isLessThan(4_000);
        assertThat(TestLog.drain(stream, 100).events).hasSize(DOCUMENTS - 1);
    }

    @Test
    void aWindowThatIsNotCompleteIsDroppedByAPauseAndBegunAgain() {
        EventStream stream = open();
        assertThat(stream.step(new TestLog.Collected(), 1, Long.MAX_VALUE, 0)).isEqualTo(new Step.Working());
        assertThat(stream.coalescing()).isTrue();
        stream.pause();
        assertThat(budget.taken()).isZero();
        assertThat(stream.coalescing()).isFalse();
        assertThat(TestLog.drain(stream, 100).events).hasSize(DOCUMENTS);
    }

    @Test
    void whoLeavesGivesEverythingBack() {
        EventStream stream = open();
        stream.step(new TestLog.Collected(), 1, Long.MAX_VALUE, 0);
        assertThat(budget.taken()).isPositive();
        stream.close();
        stream.close();
        assertThat(budget.taken()).isZero();
    }

    @Test
    void withoutMemoryForAWindowEveryChangeIsSent() {
        budget.give(-budget.total());
        assertThat(TestLog.drain(open(), 100).events).hasSize(2 * DOCUMENTS);
    }
}
