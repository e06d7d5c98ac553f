package dev.sluice.coordinate.identity;

import dev.sluice.model.InvalidInputException;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.bson.BsonType;
import org.bson.json.JsonMode;
import org.bson.json.JsonReader;
import org.bson.json.JsonWriter;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of a {@link MemberRecord}. Read piece by piece and never deeper than the record is, so that nesting
 * cannot exhaust the stack; each field must be there, once, and nothing else.
 */
final class MemberJson {
    /** The largest record in its longest writing is below this. */
    static final int MAX_BYTES = 64 * 1024;

    private static final JsonWriterSettings RELAXED =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    private final Set<String> seen = new HashSet<>();
    private final Map<String, String> metadata = new HashMap<>();
    private String id = "";
    private String incarnation = "";
    private String signature = "";
    private @Nullable MemberState state;
    private long weight;
    private long sequence;

    private MemberJson() {}

    static byte[] write(MemberRecord member) {
        StringWriter text = new StringWriter();
        JsonWriter json = new JsonWriter(text, RELAXED);
        json.writeStartDocument();
        json.writeString("id", member.id());
        json.writeString("incarnation", member.incarnation());
        json.writeString("state", member.state().text());
        json.writeInt32("weight", member.weight());
        json.writeStartDocument("metadata");
        member.metadata().forEach(json::writeString);
        json.writeEndDocument();
        json.writeInt64("sequence", member.sequence());
        json.writeString("signature", member.signature());
        json.writeEndDocument();
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    static MemberRecord read(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw bad("it is longer than " + MAX_BYTES + " bytes");
        }
        try {
            StringReader text = new StringReader(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
            MemberRecord member = new MemberJson().record(new JsonReader(text));
            for (int c = text.read(); c >= 0; c = text.read()) {
                if (!Character.isWhitespace(c)) {
                    throw bad("something follows its end");
                }
            }
            return member;
        } catch (CharacterCodingException e) {
            throw bad("it is not UTF-8");
        } catch (InvalidInputException e) {
            throw e;
        } catch (RuntimeException e) {
            // the library has many ways to fail, and quotes what a stranger wrote, which does not belong into a log
            throw bad("it is not JSON with the fields of one");
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory cannot fail to be read", e);
        }
    }

    private MemberRecord record(JsonReader json) {
        json.readStartDocument();
        while (json.readBsonType() != BsonType.END_OF_DOCUMENT) {
            field(json, json.readName());
        }
        json.readEndDocument();
        if (seen.size() != 7 || state == null) {
            throw bad("a field is missing");
        }
        return new MemberRecord(id, incarnation, state, (int) weight, metadata, sequence, signature);
    }

    private void field(JsonReader json, String name) {
        if (!seen.add(name)) {
            throw bad("a field is there twice");
        }
        switch (name) {
            case "id" -> id = json.readString();
            case "incarnation" -> incarnation = json.readString();
            case "state" -> state = MemberState.parse(json.readString());
            case "weight" -> weight = Math.clamp(number(json), -1, Integer.MAX_VALUE);
            case "metadata" -> metadata(json);
            case "sequence" -> sequence = number(json);
            case "signature" -> signature = json.readString();
            default -> throw bad("it has a field that records do not have");
        }
    }

    private void metadata(JsonReader json) {
        json.readStartDocument();
        while (json.readBsonType() != BsonType.END_OF_DOCUMENT) {
            if (metadata.put(json.readName(), json.readString()) != null) {
                throw bad("a metadata key is there twice");
            }
        }
        json.readEndDocument();
    }

    private static long number(JsonReader json) {
        return json.getCurrentBsonType() == BsonType.INT32 ? json.readInt32() : json.readInt64();
    }

    private static InvalidInputException bad(String problem) {
        return new InvalidInputException("not a member record: " + problem);
    }
}
