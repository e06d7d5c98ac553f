package dev.sluice.devmongo.command;

import dev.sluice.devmongo.wire.BsonBytes;
import dev.sluice.devmongo.wire.Reply;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.io.BsonOutput;

/** Writes a batch of events by copying their bytes between hand-written frames. */
record EventsReply(Outcome.Events events, BsonDocument end) implements Reply {

    @Override
    public void writeTo(BsonOutput out) {
        int start = open(out);
        element(out, BsonType.DOCUMENT, "cursor");
        cursor(out);
        append(out, end);
        close(out, start);
    }

    private void cursor(BsonOutput out) {
        int start = open(out);
        element(out, BsonType.ARRAY, events.first() ? "firstBatch" : "nextBatch");
        array(out, events.batch().events());
        BsonDocument rest = new BsonDocument();
        if (events.batch().token() != null) {
            rest.append("postBatchResumeToken", events.batch().token().document());
        }
        rest.append("id", new BsonInt64(events.cursorId())).append("ns", new BsonString(events.namespace()));
        append(out, rest);
        close(out, start);
    }

    private static void array(BsonOutput out, List<byte[]> documents) {
        int start = open(out);
        byte[] digits = new byte[10];
        for (int i = 0; i < documents.size(); i++) {
            out.writeByte(BsonType.DOCUMENT.getValue());
            index(out, i, digits);
            out.writeBytes(documents.get(i));
        }
        close(out, start);
    }

    /** The name of an array's element: its index in decimal, written without making a string of it. */
    private static void index(BsonOutput out, int value, byte[] digits) {
        int at = digits.length;
        int left = value;
        do {
            digits[--at] = (byte) ('0' + left % 10);
            left /= 10;
        } while (left > 0);
        out.writeBytes(digits, at, digits.length - at);
        out.writeByte(0);
    }

    /** The fields of {@code document}, without its own length and end. */
    private static void append(BsonOutput out, BsonDocument document) {
        byte[] bytes = BsonBytes.encode(document);
        out.writeBytes(bytes, Integer.BYTES, bytes.length - Integer.BYTES - 1);
    }

    private static void element(BsonOutput out, BsonType type, String name) {
        out.writeByte(type.getValue());
        out.writeCString(name);
    }

    private static int open(BsonOutput out) {
        out.writeInt32(0);
        return out.getPosition() - Integer.BYTES;
    }

    private static void close(BsonOutput out, int start) {
        out.writeByte(0);
        out.writeInt32(start, out.getPosition() - start);
    }
}
