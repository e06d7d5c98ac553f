package dev.sluice.match;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.RawBson;
import java.io.IOException;
import java.io.StringReader;
import org.bson.BsonBinaryWriter;
import org.bson.BsonBinaryWriterSettings;
import org.bson.BsonSerializationException;
import org.bson.BsonWriterSettings;
import org.bson.io.BasicOutputBuffer;
import org.bson.json.JsonReader;

/** Turns a filter's text into BSON without trusting it: bounded in size and depth before anything recurses. */
final class FilterText {
    static final int MAX_CHARACTERS = 64 * 1024;
    static final int MAX_DEPTH = 32;

    private FilterText() {}

    static byte[] toBson(String json) {
        if (json.length() > MAX_CHARACTERS) {
            throw new InvalidInputException(
                    "a filter has at most " + MAX_CHARACTERS + " characters, not " + json.length());
        }
        try {
            return read(json);
        } catch (BsonSerializationException e) {
            throw tooDeep();
        } catch (InvalidInputException e) {
            throw e;
        } catch (RuntimeException e) {
            // The driver's parser answers hostile text with exceptions of many types.
            throw new InvalidInputException("the filter is not one JSON document: " + shown(e));
        }
    }

    private static byte[] read(String json) {
        StringReader text = new StringReader(json);
        BasicOutputBuffer out = new BasicOutputBuffer(json.length() + 16);
        BsonBinaryWriter writer =
                new BsonBinaryWriter(new BsonWriterSettings(MAX_DEPTH), new BsonBinaryWriterSettings(), out);
        writer.pipe(new JsonReader(text));
        requireBlank(text);
        return out.toByteArray();
    }

    /** The reader stops behind the document: what follows would go unseen. */
    private static void requireBlank(StringReader rest) {
        try {
            for (int c = rest.read(); c >= 0; c = rest.read()) {
                if (!Character.isWhitespace(c)) {
                    throw new InvalidInputException("the filter is not one JSON document: text follows behind its end");
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be read", e);
        }
    }

    /** Refuses what is not well-formed BSON all the way down. */
    static void check(RawBson bson) {
        if (bson.length() > MAX_CHARACTERS) {
            throw new InvalidInputException("a filter has at most " + MAX_CHARACTERS + " bytes, not " + bson.length());
        }
        try {
            checkDocument(bson.array(), bson.offset(), bson.offset() + bson.length(), 0);
        } catch (IndexOutOfBoundsException e) {
            throw notBson();
        }
    }

    private static void checkDocument(byte[] bytes, int at, int end, int depth) {
        if (depth > MAX_DEPTH) {
            throw tooDeep();
        }
        int close = at + RawValues.int32(bytes, at) - 1;
        if (close != end - 1 || bytes[close] != 0) {
            throw notBson();
        }
        int element = at + RawValues.HEADER;
        while (element < close) {
            int type = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            int next = RawValues.next(bytes, type, value);
            if (next > close) {
                throw notBson();
            }
            if (type == RawValues.DOCUMENT || type == RawValues.ARRAY) {
                checkDocument(bytes, value, next, depth + 1);
            }
            element = next;
        }
        if (element != close) {
            throw notBson();
        }
    }

    private static String shown(RuntimeException e) {
        String reason = String.valueOf(e.getMessage());
        return InvalidInputException.quote(reason);
    }

    private static InvalidInputException tooDeep() {
        return new InvalidInputException("a filter is nested at most " + MAX_DEPTH + " levels deep");
    }

    private static InvalidInputException notBson() {
        return new InvalidInputException("the filter is not a BSON document");
    }
}
