package dev.sluice.devmongo.wire;

import org.bson.BsonDocument;
import org.bson.io.BsonOutput;
import org.jspecify.annotations.Nullable;

/** The answer to a request: writes itself as one BSON document. */
@FunctionalInterface
public interface Reply {
    void writeTo(BsonOutput out);

    /** The request that a streaming reply answers next, without being asked again; null for an ordinary reply. */
    default @Nullable BsonDocument next() {
        return null;
    }

    static Reply of(BsonDocument document) {
        return out -> BsonBytes.write(out, document);
    }

    /** A reply that more will follow, if the client allows it. */
    static Reply streaming(BsonDocument document, BsonDocument next) {
        return new Reply() {
            @Override
            public void writeTo(BsonOutput out) {
                BsonBytes.write(out, document);
            }

            @Override
            public BsonDocument next() {
                return next;
            }
        };
    }
}
