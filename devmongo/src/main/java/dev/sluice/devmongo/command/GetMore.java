package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.changes.ChangeStreamCursor;
import dev.sluice.devmongo.changes.StreamBatch;
import dev.sluice.devmongo.oplog.TransactionId;
import java.util.Objects;
import java.util.UUID;
import org.bson.BsonBinary;
import org.jspecify.annotations.Nullable;

/** {@code getMore}: on a change stream it waits for events, one second unless told otherwise. */
final class GetMore implements Command {
    private static final int DEFAULT_AWAIT_MILLIS = 1000;

    @Override
    public Outcome run(Invocation call) throws InterruptedException {
        long id = call.command().getNumber("getMore").longValue();
        OpenCursor cursor = call.node().cursors().require(id);
        requireSession(cursor, call);
        requireNamespace(cursor, call);
        return switch (cursor.source()) {
            case OpenCursor.Source.Results results -> Results.next(call, cursor, results.documents());
            case OpenCursor.Source.Stream stream -> stream(call, cursor, stream.stream());
        };
    }

    private static Outcome stream(Invocation call, OpenCursor cursor, ChangeStreamCursor stream)
            throws InterruptedException {
        long millis = call.number("maxTimeMS", DEFAULT_AWAIT_MILLIS);
        long deadline = System.nanoTime() + millis * 1_000_000;
        int batchSize = call.number("batchSize", 0);
        call.node().operations().waitsOn(call.operation(), cursor.id());
        boolean alive = false;
        try {
            StreamBatch batch =
                    stream.await(batchSize == 0 ? Integer.MAX_VALUE : batchSize, deadline, call.operation());
            alive = !batch.closed();
            return new Outcome.Events(batch, false, alive ? cursor.id() : 0, cursor.namespace());
        } finally {
            if (!alive) {
                call.node().cursors().remove(cursor.id());
            }
        }
    }

    private static void requireSession(OpenCursor cursor, Invocation call) {
        if (!Objects.equals(cursor.session(), call.sessionId())) {
            throw CommandException.location(
                    50738,
                    "Cannot run getMore on cursor %d, which was created in session %s, in session %s"
                            .formatted(cursor.id(), text(cursor.session()), text(call.sessionId())));
        }
    }

    private static String text(@Nullable BsonBinary session) {
        UUID id = session == null ? null : session.asUuid();
        return id + " - " + TransactionId.NOBODY;
    }

    private static void requireNamespace(OpenCursor cursor, Invocation call) {
        String asked = call.database() + "."
                + (call.command().isString("collection")
                        ? call.command().getString("collection").getValue()
                        : "");
        if (!asked.equals(cursor.namespace())) {
            throw new CommandException(
                    13,
                    "Unauthorized",
                    "Requested getMore on namespace '%s', but cursor belongs to a different namespace %s"
                            .formatted(asked, cursor.namespace()));
        }
    }
}
