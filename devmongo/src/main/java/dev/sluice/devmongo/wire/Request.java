package dev.sluice.devmongo.wire;

import org.bson.BsonDocument;

/**
 * One command to run.
 *
 * @param expectsReply false for a fire-and-forget message ({@code moreToCome})
 * @param exhaustAllowed whether the client takes several replies to this one request
 * @param legacy asked in the old OP_QUERY form, as the first handshake of some drivers
 */
public record Request(
        int requestId, BsonDocument command, boolean expectsReply, boolean exhaustAllowed, boolean legacy) {
    Request next(int id, BsonDocument again) {
        return new Request(id, again, true, true, false);
    }
}
