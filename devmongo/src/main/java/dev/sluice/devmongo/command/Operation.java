package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.changes.Interruptible;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** One command while it runs, so that others can see and stop it. */
final class Operation implements Interruptible {
    private final int id;
    private final BsonDocument command;
    private final @Nullable BsonBinary session;
    private volatile long cursorId;
    private volatile @Nullable CommandException interruption;

    Operation(int id, BsonDocument command, @Nullable BsonBinary session) {
        this.id = id;
        this.command = command;
        this.session = session;
    }

    int id() {
        return id;
    }

    BsonDocument command() {
        return command;
    }

    @Nullable
    BsonBinary session() {
        return session;
    }

    /** The cursor it waits on, 0 if none. */
    long cursorId() {
        return cursorId;
    }

    void waitsOn(long cursor) {
        cursorId = cursor;
    }

    void interrupt(CommandException reason) {
        interruption = reason;
    }

    @Override
    public boolean interrupted() {
        return interruption != null;
    }

    @Override
    public void check() {
        CommandException reason = interruption;
        if (reason != null) {
            throw reason;
        }
    }
}
