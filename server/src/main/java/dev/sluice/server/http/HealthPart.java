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
        /** Those the Streamer delivers to; the list is there only where there are any. */
        GATEWAYS,
        /** The gateway server of this process; the list is there only where one runs. */
        GATEWAY,
        /** Of the outbox relay; the list is there only where one runs. */
        OUTBOX,
        /** Of the JetStream worker; the list is there only where one runs. */
        WORKER,
        /** Background loops that fail; the list is there only while one does. */
        LOOPS;

        /** Whether the list is shown although nothing is in it. */
        boolean isAlwaysListed() {
            return this == BACKENDS || this == PARTITIONS;
        }

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
