package dev.sluice.outbox.log;

import dev.sluice.outbox.OutboxMessage;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.bson.BsonBinary;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonSerializationException;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.DecoderContext;
import org.bson.json.JsonParseException;
import org.bson.json.JsonReader;

/** A payload as filters and consumers see it: what says it is JSON as what it says, everything else as its bytes. */
final class JsonPayload {
    /** As deep as MongoDB's documents may be. */
    private static final int DEEPEST = 100;

    private JsonPayload() {}

    static BsonValue of(byte[] payload, Map<String, String> headers) {
        if (!isJson(headers)) {
            return new BsonBinary(payload);
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload))
                    .toString();
            return isDeep(text) ? new BsonBinary(payload) : parse(text);
        } catch (CharacterCodingException
                | JsonParseException
                | BsonInvalidOperationException
                | BsonSerializationException
                | IllegalArgumentException
                | IllegalStateException notJson) {
            return new BsonBinary(payload);
        }
    }

    private static boolean isJson(Map<String, String> headers) {
        String type = headers.getOrDefault(OutboxMessage.CONTENT_TYPE, "");
        String plain = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return plain.equals("application/json") || plain.endsWith("+json");
    }

    /** As the only element of an array: the parser wants a frame, and tells by it whether something follows. */
    private static BsonValue parse(String text) {
        try (JsonReader reader = new JsonReader("{\"v\":[" + text + "]}")) {
            reader.readStartDocument();
            reader.readName();
            reader.readStartArray();
            reader.readBsonType();
            BsonValue value =
                    new BsonValueCodec().decode(reader, DecoderContext.builder().build());
            if (reader.readBsonType() != BsonType.END_OF_DOCUMENT) {
                throw new JsonParseException("something follows");
            }
            reader.readEndArray();
            reader.readEndDocument();
            return value;
        }
    }

    /** Whoever reads such a value by recursion would run out of stack. */
    private static boolean isDeep(String text) {
        int depth = 0;
        boolean quoted = false;
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            if (quoted && c == '\\') {
                k++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == '{' || c == '[')) {
                depth++;
                if (depth > DEEPEST) {
                    return true;
                }
            } else if (!quoted && (c == '}' || c == ']')) {
                depth--;
            }
        }
        return false;
    }
}
