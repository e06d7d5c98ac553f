package dev.sluice.devmongo.oplog;

import dev.sluice.devmongo.token.ResumeToken;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonTimestamp;

/**
 * Insert events that differ only in their time and their number as {@code _id}: encoded once, then copied and patched.
 * Byte for byte what {@link EventEncoder} writes, at a fraction of the cost, so that a benchmark can begin with millions.
 * The token's key grows with the number, so a new pattern is encoded whenever it gets wider.
 */
final class InsertTemplate {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    private static final BsonTimestamp ANY_TIME = new BsonTimestamp(1, 1);

    /** The event begins with its length, then {@code _id: {_data: "…"}}. */
    private static final int TOKEN_AT = 4 + field("_id") + 4 + field("_data") + 4;
    /** A token begins with a type in two digits, then the time. */
    private static final int TOKEN_TIME_AT = TOKEN_AT + 2;
    /** A token ends with the number, the end of the document key, and the end of the token. */
    private static final int AFTER_NUMBER = 4;
    /** An event ends with the number and the ends of documentKey and event. */
    private static final int NUMBER_TO_END = 4 + 1 + 1;

    private final EventEncoder encoder;
    private final boolean wallTime;
    private final String database;
    private final String collection;
    private final UUID uuid = UUID.randomUUID();
    private final BsonBinary padding;
    private final Mutation mutation;
    private byte[] pattern = new byte[0];
    private int tokenLength;
    private int fullDocumentAt;
    private int width = -1;

    InsertTemplate(EventEncoder encoder, String database, String collection, int documentBytes) {
        this.encoder = encoder;
        this.wallTime = encoder.writesWallTime();
        this.database = database;
        this.collection = collection;
        this.padding = new BsonBinary(new byte[Math.max(0, documentBytes - 30)]);
        this.mutation = insert(0).withoutDocument();
    }

    private Mutation insert(int number) {
        BsonDocument document = new BsonDocument("_id", new BsonInt32(number)).append("pad", padding);
        return Mutation.insert(database, collection, uuid, document);
    }

    private static int field(String name) {
        return 1 + name.length() + 1;
    }

    Change event(int number, BsonTimestamp time, long wallMillis) {
        if (width(number) != width) {
            encodePattern(number);
        }
        byte[] event = pattern.clone();
        int clusterTimeAt = fullDocumentAt - Long.BYTES - (wallTime ? field("wallTime") + Long.BYTES : 0);
        hex(event, TOKEN_TIME_AT, time.getValue(), Long.BYTES);
        hex(event, TOKEN_AT + tokenLength - AFTER_NUMBER - 2 * width, 2L * number, width);
        LONG.set(event, clusterTimeAt, time.getValue());
        if (wallTime) {
            LONG.set(event, fullDocumentAt - Long.BYTES, wallMillis);
        }
        INT.set(event, fullDocumentAt + field("fullDocument") + 4 + field("_id"), number);
        INT.set(event, event.length - NUMBER_TO_END, number);
        String token = new String(event, TOKEN_AT, tokenLength, StandardCharsets.ISO_8859_1);
        return new Change(mutation, new ResumeToken(token, time, false, false), 0, event, fullDocumentAt);
    }

    private void encodePattern(int number) {
        Change first = encoder.encode(insert(number), ANY_TIME, 0, 0, null);
        pattern = first.event();
        tokenLength = first.token().data().length();
        fullDocumentAt = first.fullDocumentAt();
        width = width(number);
    }

    /** How many bytes a token's key gives the number: none for zero, else what twice the number fills. */
    private static int width(int number) {
        return number == 0 ? 0 : (64 - Long.numberOfLeadingZeros(2L * number) + 7) / 8;
    }

    private static void hex(byte[] into, int at, long value, int bytes) {
        for (int digit = 2 * bytes - 1; digit >= 0; digit--) {
            into[at + digit] = HEX[(int) (value & 0xF)];
            value >>>= 4;
        }
    }
}
