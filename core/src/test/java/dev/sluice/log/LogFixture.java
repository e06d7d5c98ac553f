package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;

/** Numbered events for the tests of this package. (The testkit has the same for other modules; it depends on core.) */
final class LogFixture {
    private LogFixture() {}

    static EventRecord event(long t, int n) {
        return new EventRecordEncoder()
                .id(ClusterTime.of(t, 1), n)
                .operation(Operation.RESYNC)
                .encode();
    }

    static List<EventRecord> events(int from, int to) {
        List<EventRecord> events = new ArrayList<>();
        for (int n = from; n < to; n++) {
            events.add(event(n, n));
        }
        return events;
    }

    static Checkpoint checkpoint(long t) {
        return new Checkpoint(
                RawBson.of(new BsonDocument("at", ClusterTime.of(t, 1).toBson())), ClusterTime.of(t, 1));
    }

    static List<Long> numbers(LogRead read) {
        return ((LogRead.Entries) read)
                .entries().stream().map(entry -> entry.event().hash()).toList();
    }
}
