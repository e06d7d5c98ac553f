package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code killCursors}: also ends a getMore that waits on one. */
final class KillCursors implements Command {
    @Override
    public Outcome run(Invocation call) {
        BsonArray killed = new BsonArray();
        BsonArray missing = new BsonArray();
        for (BsonValue value : call.command().getArray("cursors")) {
            long id = value.asNumber().longValue();
            (call.node().cursors().remove(id) ? killed : missing).add(value);
            call.node()
                    .operations()
                    .interrupt(
                            operation -> operation.cursorId() == id,
                            new CommandException(
                                    237,
                                    "CursorKilled",
                                    "Error in $cursor stage :: caused by :: operation was interrupted"));
        }
        return Outcome.of(new BsonDocument("cursorsKilled", killed)
                .append("cursorsNotFound", missing)
                .append("cursorsAlive", new BsonArray())
                .append("cursorsUnknown", new BsonArray()));
    }
}
