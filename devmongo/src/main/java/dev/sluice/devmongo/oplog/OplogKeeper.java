package dev.sluice.devmongo.oplog;

import java.util.List;
import org.bson.BsonTimestamp;

/** Keeps what enters the oplog beyond the life of the process. The oplog appends while it holds its lock, in the order of times. */
public interface OplogKeeper {
    /** Takes an entry together with its effects: both are kept, or neither. Returns at once. */
    void append(OplogEntry entry, List<Effect> effects);

    /** Notes that entries before {@code oldest} have left the oplog. Returns at once. */
    void evicted(BsonTimestamp oldest);

    /** Returns when everything appended before this call is on disk. */
    void sync();
}
