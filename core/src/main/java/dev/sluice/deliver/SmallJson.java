package dev.sluice.deliver;

import java.nio.charset.StandardCharsets;
import org.bson.BsonBinaryWriter;
import org.bson.BsonBinaryWriterSettings;
import org.bson.BsonDocument;
import org.bson.BsonWriterSettings;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.io.BasicOutputBuffer;
import org.bson.json.JsonReader;

/** Reads one JSON object from a stranger: bounded in size and depth, so that nothing recurses for ever. */
final class SmallJson {
    private static final int MAX_DEPTH = 16;

    private SmallJson() {}

    /** @throws RuntimeException of many types when it is not one */
    static BsonDocument parse(byte[] json) {
        if (json.length > DeliveryReply.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "it has " + json.length + " bytes, more than " + DeliveryReply.MAX_BYTES);
        }
        BasicOutputBuffer bson = new BasicOutputBuffer(json.length + 16);
        try (BsonBinaryWriter writer =
                new BsonBinaryWriter(new BsonWriterSettings(MAX_DEPTH), new BsonBinaryWriterSettings(), bson)) {
            writer.pipe(new JsonReader(new String(json, StandardCharsets.UTF_8)));
        }
        return new RawBsonDocument(bson.toByteArray()).decode(new BsonDocumentCodec());
    }
}
