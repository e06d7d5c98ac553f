package dev.sluice.http;

import dev.sluice.model.InvalidInputException;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.bson.BsonBinaryWriter;
import org.bson.BsonBinaryWriterSettings;
import org.bson.BsonSerializationException;
import org.bson.BsonValue;
import org.bson.BsonWriterSettings;
import org.bson.RawBsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.bson.json.JsonReader;

/** JSON from outside, one object or an array, bounded in depth before anything recurses; decoded item by item. */
final class JsonItems {
    /** The deepest filter, inside an object inside an array. */
    private static final int DEEPEST = 36;

    private static final String ITEMS = "items";

    private JsonItems() {}

    /** @throws InvalidInputException when it is neither */
    static List<BsonValue> of(String json) {
        String text = json.strip();
        if (!text.startsWith("[")) {
            return List.of(parse(text));
        }
        RawBsonDocument wrapped = parse("{\"" + ITEMS + "\":" + text + "}");
        BsonValue items = wrapped.get(ITEMS);
        if (wrapped.size() != 1 || items == null || !items.isArray()) {
            throw new InvalidInputException("the body is not one JSON array: text follows behind its end");
        }
        return items.asArray();
    }

    /** @throws InvalidInputException when it is not one object */
    static RawBsonDocument object(String json) {
        return parse(json.strip());
    }

    private static RawBsonDocument parse(String json) {
        StringReader text = new StringReader(json);
        BasicOutputBuffer out = new BasicOutputBuffer(json.length() + 16);
        try {
            BsonBinaryWriter writer =
                    new BsonBinaryWriter(new BsonWriterSettings(DEEPEST), new BsonBinaryWriterSettings(), out);
            writer.pipe(new JsonReader(text));
            requireBlank(text);
            return new RawBsonDocument(out.toByteArray());
        } catch (InvalidInputException e) {
            throw e;
        } catch (BsonSerializationException e) {
            throw new InvalidInputException("the body is nested deeper than " + DEEPEST + " levels");
        } catch (RuntimeException e) {
            // The driver's parser answers hostile text with exceptions of many types.
            throw new InvalidInputException("the body is neither one JSON object nor an array of them: "
                    + InvalidInputException.quote(String.valueOf(e.getMessage())));
        }
    }

    private static void requireBlank(StringReader rest) {
        try {
            for (int c = rest.read(); c >= 0; c = rest.read()) {
                if (!Character.isWhitespace(c)) {
                    throw new InvalidInputException("the body is not one JSON value: text follows behind its end");
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be read", e);
        }
    }
}
