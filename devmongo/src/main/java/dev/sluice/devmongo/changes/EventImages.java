package dev.sluice.devmongo.changes;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.changes.StreamOptions.Image;
import dev.sluice.devmongo.oplog.Change;
import dev.sluice.devmongo.oplog.Mutation;
import dev.sluice.devmongo.token.MongoText;
import dev.sluice.devmongo.wire.BsonBytes;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.io.BasicOutputBuffer;
import org.jspecify.annotations.Nullable;

/** Adds the pictures a stream asked for to the encoded event, without decoding it. */
final class EventImages {
    private final StreamOptions options;
    private final DocumentLookup lookup;

    EventImages(StreamOptions options, DocumentLookup lookup) {
        this.options = options;
        this.lookup = lookup;
    }

    byte[] complete(Change change) {
        byte[] event = change.event();
        Mutation mutation = change.mutation();
        if (mutation.kind() == Mutation.Kind.UPDATE && options.fullDocument() != Image.NONE) {
            event = insert(event, change.fullDocumentAt(), "fullDocument", after(change));
        }
        if (options.beforeChange() != Image.NONE && hasBefore(mutation.kind())) {
            event = insert(event, event.length - 1, "fullDocumentBeforeChange", before(change));
        }
        return event;
    }

    private static boolean hasBefore(Mutation.Kind kind) {
        return switch (kind) {
            case UPDATE, REPLACE, DELETE -> true;
            case INSERT, DROP, RENAME, DROP_DATABASE -> false;
        };
    }

    private @Nullable BsonDocument after(Change change) {
        Mutation mutation = change.mutation();
        return options.fullDocument() == Image.LOOKUP
                ? lookup.find(mutation.uuid(), mutation.id())
                : available(mutation.after(), options.fullDocument(), "post-image", change);
    }

    private @Nullable BsonDocument before(Change change) {
        return available(change.mutation().before(), options.beforeChange(), "pre-image", change);
    }

    private static @Nullable BsonDocument available(
            @Nullable BsonDocument image, Image wanted, String name, Change change) {
        if (image == null && wanted == Image.REQUIRED) {
            throw new CommandException(
                    47,
                    "NoMatchingDocument",
                    "Change stream was configured to require a %s for all update events, but the %s was not found for event: %s"
                            .formatted(
                                    name, name, MongoText.spaced(change.token().document())));
        }
        return image;
    }

    private static byte[] insert(byte[] event, int at, String name, @Nullable BsonDocument value) {
        BasicOutputBuffer out = new BasicOutputBuffer(event.length + 256);
        out.writeBytes(event, 0, at);
        out.writeByte(value == null ? BsonType.NULL.getValue() : BsonType.DOCUMENT.getValue());
        out.writeCString(name);
        if (value != null) {
            BsonBytes.write(out, value);
        }
        out.writeBytes(event, at, event.length - at);
        out.writeInt32(0, out.getPosition());
        return out.toByteArray();
    }
}
