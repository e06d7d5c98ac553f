package dev.sluice.model;

import java.util.Arrays;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/**
 * One BSON document as it came from the source: a slice of bytes that is passed on, not decoded. The array is shared
 * and must not be changed by anyone who holds it.
 */
public record RawBson(byte[] array, int offset, int length) {
    private static final int SMALLEST = 5;
    private static final JsonWriterSettings RELAXED =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

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

    /** MongoDB's relaxed extended JSON. */
    public String toJson() {
        return view().toJson(RELAXED);
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
