package dev.sluice.devmongo.oplog;

import java.util.List;
import org.bson.BsonTimestamp;

/** One write at one cluster time: no change for a no-op, several for a transaction. */
public record OplogEntry(BsonTimestamp time, List<Change> changes) {
    private static final int FIXED_BYTES = 100;

    int bytes() {
        int sum = FIXED_BYTES;
        for (Change change : changes) {
            sum += change.event().length;
        }
        return sum;
    }
}
