package dev.sluice.mongodb;

import dev.sluice.model.ClusterTime;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/**
 * How far a primary is, by its own {@code hello}. A change stream shows what the majority has; {@code applied} is what the
 * primary has itself.
 */
record PrimaryTime(ClusterTime applied, long appliedTerm, ClusterTime committed, long committedTerm) {
    /** Empty for a router, and for a server that is no member of a replica set. */
    static Optional<PrimaryTime> of(BsonDocument hello) {
        if (!hello.isDocument("lastWrite")) {
            return Optional.empty();
        }
        BsonDocument last = hello.getDocument("lastWrite");
        if (!last.isDocument("opTime") || !last.isDocument("majorityOpTime")) {
            return Optional.empty();
        }
        BsonDocument applied = last.getDocument("opTime");
        BsonDocument committed = last.getDocument("majorityOpTime");
        return Optional.of(new PrimaryTime(time(applied), term(applied), time(committed), term(committed)));
    }

    private static ClusterTime time(BsonDocument opTime) {
        return ClusterTime.of(opTime.getTimestamp("ts"));
    }

    private static long term(BsonDocument opTime) {
        return opTime.getInt64("t", new BsonInt64(0)).getValue();
    }

    /** Whether the majority has a write of this primary's own term: only then did it prove that it is the primary. */
    boolean committedInItsTerm() {
        return committedTerm == appliedTerm;
    }

    /** Whether the primary has not got to a position yet; a stream opened "now" stands one tick behind the last write. */
    boolean isBehind(ClusterTime position) {
        return new ClusterTime(applied.value() + 1).compareTo(position) < 0;
    }
}
