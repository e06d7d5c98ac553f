package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.puller.v1.ClusterTime;
import dev.sluice.grpc.puller.v1.Event;
import org.junit.jupiter.api.Test;

class RepeatFilterTest {
    private final RepeatFilter filter = new RepeatFilter(2);

    private static Event event(String document, int t, String id) {
        return Event.newBuilder()
                .setBackend("b")
                .setCollection("c")
                .setDocumentId(document)
                .setClusterTime(ClusterTime.newBuilder().setT(t).setI(1))
                .setId(id)
                .build();
    }

    @Test
    void whatWasHandledIsARepeatAndSoIsWhatIsOlder() {
        filter.handled(event("d", 5, "five"));
        assertThat(filter.handledBefore(event("d", 5, "five"))).isTrue();
        assertThat(filter.handledBefore(event("d", 4, "four"))).isTrue();
        assertThat(filter.handledBefore(event("d", 6, "six"))).isFalse();
        assertThat(filter.handledBefore(event("other", 4, "four"))).isFalse();
    }

    @Test
    void changesOfOneTransactionShareTheirTimeAndAreToldApartById() {
        filter.handled(event("d", 5, "first"));
        assertThat(filter.handledBefore(event("d", 5, "second"))).isFalse();
        filter.handled(event("d", 5, "second"));
        assertThat(filter.handledBefore(event("d", 5, "first"))).isTrue();
        assertThat(filter.handledBefore(event("d", 5, "second"))).isTrue();
    }

    /** Row 20: marked before processing, a failed event would never be tried again. */
    @Test
    void onlyWhatWasHandledCounts() {
        assertThat(filter.handledBefore(event("d", 5, "five"))).isFalse();
        assertThat(filter.handledBefore(event("d", 5, "five"))).isFalse();
    }

    @Test
    void timesBeyond2038AreUnsigned() {
        filter.handled(event("d", -1, "late"));
        assertThat(filter.handledBefore(event("d", 1, "early"))).isTrue();
    }

    @Test
    void memoryIsBounded() {
        filter.handled(event("1", 5, "a"));
        filter.handled(event("2", 5, "b"));
        filter.handled(event("3", 5, "c"));
        assertThat(filter.handledBefore(event("1", 5, "a"))).as("forgotten").isFalse();
        assertThat(filter.handledBefore(event("3", 5, "c"))).isTrue();
    }
}
