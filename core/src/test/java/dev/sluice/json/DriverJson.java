package dev.sluice.json;

import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** Relaxed extended JSON as the MongoDB driver writes it: the model for {@link BsonJson}. */
final class DriverJson {
    private static final JsonWriterSettings RELAXED =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    private DriverJson() {}

    static byte[] of(byte[] array, int offset, int length) {
        return new RawBsonDocument(array, offset, length).toJson(RELAXED).getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bson(BsonDocument document) {
        RawBsonDocument raw = new RawBsonDocument(document, new BsonDocumentCodec());
        byte[] bytes = new byte[raw.getByteBuffer().remaining()];
        raw.getByteBuffer().get(bytes);
        return bytes;
    }
}
