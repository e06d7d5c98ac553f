package dev.sluice.devmongo.token;

import dev.sluice.devmongo.CommandException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A position in a change stream: after one event, or a high-water mark between events. The text of two tokens compares as
 * the positions do. The shape is version 1, as recorded from MongoDB 4.4.
 */
public record ResumeToken(String data, BsonTimestamp clusterTime, boolean highWaterMark, boolean fromInvalidate)
        implements Comparable<ResumeToken> {
    private static final int VERSION = 1;
    private static final int HIGH_WATER_MARK = 0;
    private static final int EVENT = 128;

    public static ResumeToken highWaterMark(BsonTimestamp time) {
        String data = new KeyStringWriter()
                .timestamp(time.getValue())
                .whole(VERSION)
                .whole(HIGH_WATER_MARK)
                .whole(0)
                .bool(false)
                .endHex();
        return new ResumeToken(data, time, true, false);
    }

    /** The token of an event; {@code uuid} and {@code documentKey} are absent where the event has none. */
    public static ResumeToken event(
            BsonTimestamp time, int operationIndex, @Nullable UUID uuid, @Nullable BsonDocument documentKey) {
        return new ResumeToken(eventData(time, operationIndex, false, uuid, documentKey), time, false, false);
    }

    /** The token of the invalidate that follows the event. */
    public static ResumeToken invalidate(BsonTimestamp time, int operationIndex, @Nullable UUID uuid) {
        return new ResumeToken(eventData(time, operationIndex, true, uuid, null), time, false, true);
    }

    private static String eventData(
            BsonTimestamp time,
            int operationIndex,
            boolean fromInvalidate,
            @Nullable UUID uuid,
            @Nullable BsonDocument documentKey) {
        KeyStringWriter key = new KeyStringWriter()
                .timestamp(time.getValue())
                .whole(VERSION)
                .whole(EVENT)
                .whole(operationIndex)
                .bool(fromInvalidate);
        if (uuid != null) {
            key.value(new BsonBinary((byte) 4, bytes(uuid)));
        }
        if (documentKey != null) {
            key.object(documentKey);
        }
        return key.endHex();
    }

    /** The token of one fragment of this event, counted from 0. By documentation, not recorded. */
    public ResumeToken fragment(int index) {
        String number = new KeyStringWriter().whole(index).endHex();
        return new ResumeToken(data.substring(0, data.length() - 2) + number, clusterTime, false, false);
    }

    public boolean isFragmentOf(ResumeToken event) {
        return data.length() > event.data.length() && data.startsWith(event.data.substring(0, event.data.length() - 2));
    }

    /** How many fragments of the event lie at or before this one. */
    public int fragmentsOf(ResumeToken event) {
        byte[] number = HexFormat.of().parseHex(data.substring(event.data.length() - 2));
        return (int) new KeyStringReader(number).whole() + 1;
    }

    private static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    /** Reads what a client sent as {@code resumeAfter} or {@code startAfter}. */
    public static ResumeToken parse(BsonDocument token) {
        BsonValue data = token.get("_data");
        if (data == null || !data.isString()) {
            throw CommandException.location(
                    40647,
                    "Bad resume token: _data of missing or of wrong type. Expected string, got "
                            + MongoText.compact(token));
        }
        return parse(data.asString().getValue());
    }

    private static ResumeToken parse(String data) {
        KeyStringReader key = new KeyStringReader(decodeHex(data));
        BsonTimestamp time = new BsonTimestamp(key.timestamp());
        key.whole();
        boolean highWaterMark = key.whole() == HIGH_WATER_MARK;
        key.whole();
        boolean fromInvalidate = key.bool();
        key.end();
        return new ResumeToken(data, time, highWaterMark, fromInvalidate);
    }

    private static byte[] decodeHex(String data) {
        byte[] bytes;
        try {
            bytes = HexFormat.of().parseHex(data);
        } catch (IllegalArgumentException notHex) {
            throw CommandException.failedToParse("resume token string was not a valid hex string");
        }
        if (bytes.length == 0) {
            throw CommandException.location(40649, "invalid empty resume token");
        }
        return bytes;
    }

    public BsonDocument document() {
        return new BsonDocument("_data", new BsonString(data));
    }

    @Override
    public int compareTo(ResumeToken other) {
        return data.compareTo(other.data);
    }
}
