package dev.sluice.model;

import dev.sluice.json.BsonJson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * One BSON document as it came from the source: a slice of bytes that is passed on, not decoded. The array is shared
 * and must not be changed by anyone who holds it.
 */
public record RawBson(byte[] array, int offset, int length) {
    private static final int SMALLEST = 5;

    public RawBson {
        if (offset < 0 || length < SMALLEST || length > array.length - offset) {
            throw new InvalidInputException("a BSON document of " + length + " bytes at " + offset
                    + " does not fit into " + array.length + " bytes");
        }
    }

    public static RawBson of(byte[] array) {
        return new RawBson(array, 0, array.length);
    }

    public static RawBson of(BsonDocument document) {
        RawBsonDocument raw = new RawBsonDocument(document, new BsonDocumentCodec());
        return new RawBson(
                raw.getByteBuffer().array(),
                raw.getByteBuffer().arrayOffset() + raw.getByteBuffer().position(),
                raw.getByteBuffer().remaining());
    }

    /** A view for reading fields lazily; it copies nothing. */
    public RawBsonDocument view() {
        return new RawBsonDocument(array, offset, length);
    }

    public byte[] toBytes() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    /**
     * Returns MongoDB's relaxed extended JSON in UTF-8.
     *
     * @throws org.bson.BsonSerializationException when the bytes are malformed or nested too deeply
     */
    public byte[] toJsonBytes() {
        return BsonJson.relaxed(array, offset, length);
    }

    /** Returns {@link #toJsonBytes} as a string. */
    public String toJson() {
        return new String(toJsonBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RawBson that
                && Arrays.equals(array, offset, offset + length, that.array, that.offset, that.offset + that.length);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(Fnv1a64.hash(array, offset, length));
    }

    @Override
    public String toString() {
        return "RawBson[" + length + " bytes]";
    }
}
