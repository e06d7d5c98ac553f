package dev.sluice.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.log.EventRecord;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.Partitioner;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventFilterTest {
    private final TestLog log = new TestLog();

    private EventRecord event(Operation operation, String tenant, String collection) {
        return EventRecord.of(log.event(2, operation, tenant, collection, operation.isData() ? "d" : "", null, null));
    }

    @Test
    void controlEventsGoToEveryPartitionAndTenant() {
        EventFilter filter = EventFilter.of(List.of(1), 7, List.of("acme"), List.of());
        for (Operation operation : List.of(Operation.DROP, Operation.RENAME, Operation.INVALIDATE, Operation.RESYNC)) {
            assertThat(filter.passes(event(operation, "", "c"))).isTrue();
        }
    }

    @Test
    void ofOtherCollectionsOnlyResyncAndInvalidatePass() {
        EventFilter filter = EventFilter.of(List.of(), 0, List.of(), List.of("orders"));
        assertThat(filter.passes(event(Operation.DROP, "", "users"))).isFalse();
        assertThat(filter.passes(event(Operation.DROP, "", "orders"))).isTrue();
        assertThat(filter.passes(event(Operation.DROP, "", ""))).isTrue();
        assertThat(filter.passes(event(Operation.RESYNC, "", "users"))).isTrue();
        assertThat(filter.passes(event(Operation.INVALIDATE, "", ""))).isTrue();
    }

    @Test
    void thePartitionIsThatOfThePartitioner() {
        EventFilter filter = EventFilter.of(List.of(), 64, List.of(), List.of());
        assertThat(filter.partitionOf(event(Operation.DELETE, "", "orders")))
                .isEqualTo(new Partitioner(64).partitionOf("orders", "d"));
    }

    @Test
    void partitionsThatDoNotExistAreRefusedWithASentence() {
        assertThatThrownBy(() -> EventFilter.of(List.of(4), 4, List.of(), List.of()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("no partition 4 of 4");
        assertThatThrownBy(() -> EventFilter.of(List.of(-1), 4, List.of(), List.of()))
                .hasMessageContaining("no partition -1");
        assertThatThrownBy(() -> EventFilter.of(List.of(0), 0, List.of(), List.of()))
                .hasMessageContaining("without num_partitions");
        assertThatThrownBy(() -> EventFilter.of(List.of(), -3, List.of(), List.of()))
                .hasMessageContaining("num_partitions is -3");
    }

    @Test
    void nobodyNamesSoMuchThatItWouldFillTheHeap() {
        List<String> names = Collections.nCopies(EventFilter.MOST_NAMED + 1, "x");
        List<Integer> numbers = Collections.nCopies(EventFilter.MOST_NAMED + 1, 0);
        assertThatThrownBy(() -> EventFilter.of(List.of(), 0, names, List.of()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("10001 tenants are named, 10000 are allowed");
        assertThatThrownBy(() -> EventFilter.of(List.of(), 0, List.of(), names)).hasMessageContaining("collections");
        assertThatThrownBy(() -> EventFilter.of(numbers, 4, List.of(), List.of()))
                .hasMessageContaining("partitions");
        assertThatCode(() -> EventFilter.of(numbers.subList(1, numbers.size()), 4, List.of(), List.of()))
                .doesNotThrowAnyException();
    }

    @Test
    void aLabelCannotBreakOrTurnALineOfTheLog() {
        String odd = "a\nb\u0085c\u2028d\u202ee\u0000f\ud800g";
        assertThat(new StreamRequest(odd, null, EventFilter.ALL, false, false, DocumentEncoding.BSON).label())
                .isEqualTo("a?b?c?d?e?f?g");
        String cut = "x".repeat(255) + "\ud83d\ude00";
        assertThat(new StreamRequest(cut, null, EventFilter.ALL, false, false, DocumentEncoding.BSON).label())
                .hasSize(256)
                .endsWith("x?");
    }
}
