package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.capture.SourceBatch;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When an event of one stream may leave, seen from what the other has shown. The number of a place is its time. */
class StreamMergeTest {
    private static final int UNKNOWN = 0;

    private final StreamMerge merge = new StreamMerge(2, null);

    @Test
    void eventsLeaveInTheOrderOfTheirPlacesWhicheverStreamCameFirst() {
        merge.take(0, events(2, 4));
        assertThat(leaving()).isEmpty();
        merge.take(1, events(1, 3, 5));
        assertThat(leaving()).containsExactly("1", "2", "3", "4");
        assertThat(merge.wants(0)).isTrue();
        assertThat(merge.wants(1)).isFalse();
    }

    /** Asked before the event came, a stream may have had to look only so far. */
    @Test
    void anEmptyAnswerCountsOnlyWhenItWasAskedForAfterTheEventCame() {
        merge.take(0, events(2));
        merge.take(1, empty(null, 9, 0));
        assertThat(leaving()).isEmpty();
        merge.take(1, empty(null, 9, merge.taken()));
        assertThat(leaving()).containsExactly("2");
    }

    /** The majority lags for that stream's answer: it did not look as far as the event. */
    @Test
    void anEmptyAnswerFromBeforeTheEventsTimeDoesNotLetItGo() {
        merge.take(0, events(5));
        merge.take(1, empty(null, 4, merge.taken()));
        assertThat(leaving()).isEmpty();
        merge.take(1, events(3));
        assertThat(leaving()).containsExactly("3");
        merge.take(1, empty(null, 5, merge.taken()));
        assertThat(leaving()).containsExactly("5");
    }

    @Test
    void theTimeOfAnEmptyAnswerItselfIsEmptyToo() {
        merge.take(0, events(5));
        merge.take(1, empty(null, 5, merge.taken()));
        assertThat(leaving()).containsExactly("5");
    }

    /** An empty answer of a router tells nothing: only its position does. */
    @Test
    void behindARouterAnEventWaitsUntilTheOtherPositionHasPassedIt() {
        merge.take(0, events(5));
        merge.take(1, empty(4, UNKNOWN, merge.taken()));
        assertThat(leaving()).isEmpty();
        merge.take(1, empty(6, UNKNOWN, merge.taken()));
        assertThat(leaving()).containsExactly("5");
    }

    @Test
    void aPositionAtTheEventItselfHasPassedIt() {
        merge.take(0, events(5));
        merge.take(1, empty(5, UNKNOWN, 0));
        assertThat(leaving()).containsExactly("5");
    }

    /** A split event whose rest is still to come: neither an event nor a position, and yet not empty. */
    @Test
    void aStreamThatWaitsForTheRestOfASplitEventHoldsUpTheOthers() {
        merge.take(1, empty(2, 2, merge.taken()));
        merge.take(0, events(5));
        merge.take(1, empty(null, UNKNOWN, merge.taken()));
        assertThat(leaving()).isEmpty();
        merge.take(1, events(4));
        assertThat(leaving()).containsExactly("4");
        merge.take(1, empty(6, UNKNOWN, merge.taken()));
        assertThat(leaving()).containsExactly("5");
    }

    @Test
    void whatComesThroughAllStreamsLeavesOnce() {
        merge.take(0, batch(List.of(event(3, Operation.DROP)), 3, UNKNOWN, 0));
        merge.take(1, batch(List.of(event(3, Operation.DROP)), 3, UNKNOWN, 0));
        assertThat(merge.leave().events()).hasSize(1);
        assertThat(merge.wants(0) && merge.wants(1)).isTrue();
    }

    @Test
    void thePositionNeverPassesAnEventThatWaits() {
        merge.take(0, events(2, 7));
        merge.take(1, empty(3, UNKNOWN, 0));
        SourceBatch left = merge.leave();
        assertThat(left.events()).hasSize(1);
        assertThat(left.reached()).isEqualTo(position(2));
    }

    @Test
    void whenNothingWaitsThePositionIsTheLeastOfAll() {
        merge.take(0, empty(8, 8, 0));
        assertThat(merge.leave().reached()).isNull();
        merge.take(1, empty(6, 6, 0));
        assertThat(merge.leave().reached()).isEqualTo(position(6));
    }

    private List<String> leaving() {
        return merge.leave().events().stream()
                .map(event -> event.documentId().text())
                .toList();
    }

    private static StreamBatch events(int... places) {
        List<EventRecord> events = Arrays.stream(places)
                .mapToObj(place -> event(place, Operation.INSERT))
                .toList();
        return batch(events, places[places.length - 1], UNKNOWN, 0);
    }

    private static StreamBatch empty(@Nullable Integer position, int through, long askedAfter) {
        return batch(List.of(), position, through, askedAfter);
    }

    private static StreamBatch batch(
            List<EventRecord> events, @Nullable Integer position, int through, long askedAfter) {
        Checkpoint reached = position == null ? null : position(position);
        List<RawBson> tokens =
                events.stream().map(event -> token(event.clusterTime().value())).toList();
        return new StreamBatch(
                new SourceBatch(events, reached, 0, SourceBatch.OPEN), tokens, new ClusterTime(through), askedAfter);
    }

    private static EventRecord event(int place, Operation operation) {
        EventRecordEncoder encoder = new EventRecordEncoder()
                .id(new ClusterTime(place), place)
                .operation(operation)
                .collection("orders");
        return (operation.isData()
                        ? encoder.documentId(new DocumentId(DocumentId.Kind.STRING, String.valueOf(place)))
                        : encoder)
                .encode();
    }

    private static Checkpoint position(int place) {
        return new Checkpoint(token(place), new ClusterTime(place));
    }

    private static RawBson token(long place) {
        return RawBson.of(new BsonDocument("_data", new BsonString("%016X".formatted(place))));
    }
}
