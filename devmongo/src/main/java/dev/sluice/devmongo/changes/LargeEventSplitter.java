package dev.sluice.devmongo.changes;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.token.ResumeToken;
import dev.sluice.devmongo.wire.BsonBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * {@code $changeStreamSplitLargeEvent}: cuts an event that is too large between its top-level fields, each fragment with
 * a token of its own. By documentation of MongoDB 7.0, not recorded.
 */
final class LargeEventSplitter {
    private static final int ROOM_FOR_HEAD = 4 << 10;

    /** One part of an event, with the token to resume after it. */
    record Fragment(byte[] event, ResumeToken token) {}

    private LargeEventSplitter() {}

    static List<Fragment> split(byte[] event, ResumeToken token) {
        List<BsonDocument> parts = parts(new RawBsonDocument(event));
        List<Fragment> fragments = new ArrayList<>();
        for (BsonDocument part : parts) {
            int number = fragments.size() + 1;
            ResumeToken own = token.fragment(number - 1);
            BsonDocument fragment = new BsonDocument("_id", own.document())
                    .append(
                            "splitEvent",
                            new BsonDocument("fragment", new BsonInt32(number))
                                    .append("of", new BsonInt32(parts.size())));
            fragment.putAll(part);
            fragments.add(new Fragment(BsonBytes.encode(fragment), own));
        }
        return fragments;
    }

    private static List<BsonDocument> parts(BsonDocument event) {
        List<BsonDocument> parts = new ArrayList<>(List.of(new BsonDocument()));
        int bytes = ROOM_FOR_HEAD;
        for (Map.Entry<String, BsonValue> field : event.entrySet()) {
            if (field.getKey().equals("_id")) {
                continue;
            }
            int size = BsonBytes.size(new BsonDocument(field.getKey(), field.getValue()));
            if (size + ROOM_FOR_HEAD > EventSize.EVENT_BYTES) {
                throw CommandException.location(7182500, "Splitting change event failed: fragment size is too large");
            }
            if (bytes + size > EventSize.EVENT_BYTES) {
                parts.add(new BsonDocument());
                bytes = ROOM_FOR_HEAD;
            }
            parts.getLast().append(field.getKey(), field.getValue());
            bytes += size;
        }
        return parts;
    }
}
