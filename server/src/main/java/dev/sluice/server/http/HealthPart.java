package dev.sluice.server.http;

import java.util.Locale;
import org.bson.BsonDocument;

/**
 * One of the things whose health makes that of the node.
 *
 * @param answer what {@code /health} says of it
 */
public record HealthPart(Kind kind, boolean healthy, BsonDocument answer) {
    /** The list it stands in. */
    public enum Kind {
        BACKENDS,
        PARTITIONS,
        /** Of the outbox relay; the list is there only where one runs. */
        OUTBOX;

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
