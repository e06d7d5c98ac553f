package dev.sluice.devmongo.update;

import dev.sluice.devmongo.CommandException;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/** One application of an update to one document: the document that changes, and the account of what changed. */
final class Edit {
    private final BsonDocument root;
    private final Instant now;
    private final boolean inserting;
    private final Supplier<OptionalInt> position;
    private Changes changes = new Changes();

    Edit(BsonDocument root, Instant now, boolean inserting, Supplier<OptionalInt> position) {
        this.root = root;
        this.now = now;
        this.inserting = inserting;
        this.position = position;
    }

    BsonDocument root() {
        return root;
    }

    Instant now() {
        return now;
    }

    boolean inserting() {
        return inserting;
    }

    Changes changes() {
        return changes;
    }

    /** Whether {@code step} changed anything; its changes are not recorded. */
    boolean unrecorded(Runnable step) {
        Changes recorded = changes;
        changes = new Changes();
        try {
            step.run();
            return !changes.isEmpty();
        } finally {
            changes = recorded;
        }
    }

    /** What a positional {@code $} stands for. */
    int position() {
        return position.get()
                .orElseThrow(() -> CommandException.badValue(
                        "The positional operator did not find the match needed from the query."));
    }
}
