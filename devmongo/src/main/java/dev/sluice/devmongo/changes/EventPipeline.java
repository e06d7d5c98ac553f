package dev.sluice.devmongo.changes;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.aggregate.Pipeline;
import dev.sluice.devmongo.token.MongoText;
import dev.sluice.devmongo.token.ResumeToken;
import dev.sluice.devmongo.wire.BsonBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** The stages after {@code $changeStream}. Without any, events pass as bytes and are never decoded. */
final class EventPipeline {
    static final String SPLIT = "$changeStreamSplitLargeEvent";
    private static final Set<String> PERMITTED =
            Set.of("$match", "$project", "$addFields", "$set", "$unset", "$replaceRoot", "$replaceWith", "$redact");

    private final @Nullable Pipeline stages;
    private final boolean splits;

    private EventPipeline(@Nullable Pipeline stages, boolean splits) {
        this.stages = stages;
        this.splits = splits;
    }

    static EventPipeline compile(List<BsonDocument> stages, boolean splitKnown) {
        List<BsonDocument> plain = new ArrayList<>(stages);
        boolean splits =
                splitKnown && !plain.isEmpty() && plain.getLast().getFirstKey().equals(SPLIT);
        if (splits) {
            plain.removeLast();
        }
        Pipeline compiled = plain.isEmpty() ? null : Pipeline.compile(plain);
        for (BsonDocument stage : plain) {
            if (!PERMITTED.contains(stage.getFirstKey())) {
                throw new CommandException(
                        20, "IllegalOperation", stage.getFirstKey() + " is not permitted in a $changeStream pipeline");
            }
        }
        return new EventPipeline(compiled, splits);
    }

    boolean splits() {
        return splits;
    }

    /** The event as the pipeline leaves it, or null if it filters the event out. */
    byte @Nullable [] run(byte[] event, ResumeToken token) {
        if (stages == null) {
            return event;
        }
        BsonDocument before = BsonBytes.decode(event);
        BsonDocument after = stages.run(Stream.of(before)).findFirst().orElse(null);
        if (after == null || after == before) {
            return after == null ? null : event;
        }
        requireToken(after, token);
        return BsonBytes.encode(after);
    }

    private static void requireToken(BsonDocument event, ResumeToken token) {
        BsonDocument expected = new BsonDocument("_id", token.document());
        if (token.document().equals(event.get("_id"))) {
            return;
        }
        BsonDocument found = event.containsKey("_id") ? new BsonDocument("_id", event.get("_id")) : new BsonDocument();
        throw new CommandException(
                280,
                "ChangeStreamFatalError",
                "Encountered an event whose _id field, which contains the resume token, was modified by the pipeline."
                        + " Modifying the _id field of an event makes it impossible to resume the stream from that"
                        + " point. Only transformations that retain the unmodified _id field are allowed. Expected: "
                        + MongoText.spaced(expected) + " but found: " + MongoText.spaced(found),
                List.of("NonResumableChangeStreamError"));
    }
}
