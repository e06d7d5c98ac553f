package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.BsonBinary;
import org.jspecify.annotations.Nullable;

/** The open cursors by id. */
final class Cursors {
    private final Map<Long, OpenCursor> open = new ConcurrentHashMap<>();

    OpenCursor add(String namespace, @Nullable BsonBinary session, OpenCursor.Source source) {
        long id = ThreadLocalRandom.current().nextLong(1L << 40, Long.MAX_VALUE);
        OpenCursor cursor = new OpenCursor(id, namespace, session, source);
        open.put(id, cursor);
        return cursor;
    }

    OpenCursor require(long id) {
        OpenCursor cursor = open.get(id);
        if (cursor == null) {
            throw new CommandException(43, "CursorNotFound", "cursor id " + id + " not found");
        }
        return cursor;
    }

    boolean remove(long id) {
        return open.remove(id) != null;
    }

    void removeOf(BsonBinary session) {
        open.values().removeIf(cursor -> session.equals(cursor.session()));
    }

    int count() {
        return open.size();
    }

    void clear() {
        open.clear();
    }
}
