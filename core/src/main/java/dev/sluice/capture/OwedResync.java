package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint of a log from which changes are missing and whose consumers were not told yet. It takes the place of the last
 * position when the gap is found, and the RESYNC takes its place: a process that ends in between, or a source that looks whole
 * again by then, does not make the gap forgotten. Its token is one that no source has.
 */
public final class OwedResync {
    private static final String OWED = "sluiceResync";
    private static final String LAST = "after";

    private OwedResync() {}

    /** @param last the position before the gap; null when the log has none */
    static Checkpoint after(@Nullable Checkpoint last, ClusterTime captured) {
        BsonDocument token = new BsonDocument(OWED, BsonBoolean.TRUE);
        if (last == null) {
            return new Checkpoint(RawBson.of(token), captured);
        }
        return new Checkpoint(RawBson.of(token.append(LAST, last.token().view())), last.time(), last.filter());
    }

    /** Whether this is no position, but says that a RESYNC is due. */
    public static boolean isOwed(@Nullable Checkpoint checkpoint) {
        return checkpoint != null && checkpoint.token().view().containsKey(OWED);
    }

    /** The last position, also if changes behind it are missing; null when there is none. */
    static @Nullable Checkpoint position(@Nullable Checkpoint stored) {
        if (stored == null || !isOwed(stored)) {
            return stored;
        }
        BsonDocument token = stored.token().view();
        return token.isDocument(LAST)
                ? new Checkpoint(RawBson.of(token.getDocument(LAST)), stored.time(), stored.filter())
                : null;
    }
}
