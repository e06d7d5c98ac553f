package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.List;

/** The control event that stands where changes are missing. Its id has the form of all ids. */
final class ResyncEvent {
    private static final String SALT = "resync";

    private ResyncEvent() {}

    /** A batch of a newly opened stream, with a RESYNC of the whole backend in front. */
    static List<EventRecord> before(SourceBatch batch, Checkpoint reached, ClusterTime head) {
        ClusterTime first = batch.events().isEmpty()
                ? reached.time()
                : batch.events().getFirst().clusterTime();
        List<EventRecord> all = new ArrayList<>(batch.events().size() + 1);
        all.add(new EventRecordEncoder()
                .id(first.compareTo(head) > 0 ? first : head, hash(reached.token()))
                .operation(Operation.RESYNC)
                .timestamp(batch.sourceTime())
                .encode());
        all.addAll(batch.events());
        return all;
    }

    /** Not the plain hash of the token: an event may have that. */
    private static long hash(RawBson token) {
        return Fnv1a64.add(Fnv1a64.hash(token.array(), token.offset(), token.length()), SALT);
    }
}
