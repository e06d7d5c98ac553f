package dev.sluice.devmongo.journal;

import dev.sluice.devmongo.oplog.Effect;
import dev.sluice.devmongo.oplog.OplogEntry;
import java.util.List;
import org.bson.BsonTimestamp;

/** One record of the journal. */
sealed interface JournalRecord {
    /** A write: its oplog entry and what it changed. */
    record Written(OplogEntry entry, List<Effect> effects) implements JournalRecord {}

    /** Part of the store's contents, in a journal that was rewritten. */
    record Contents(List<Effect> effects) implements JournalRecord {}

    /** Entries before this time have left the oplog. */
    record Evicted(BsonTimestamp oldest) implements JournalRecord {}

    /** The server became primary in this term. */
    record Term(long number) implements JournalRecord {}
}
