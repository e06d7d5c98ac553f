package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * The stored claim of one partition. It has no lease of its own: it names its owner's incarnation, and every change of it
 * is a compare-and-set, so whoever changed it last is the owner, whatever anybody believes.
 *
 * @param owner empty when released
 * @param incarnation empty when released
 * @param position the user's text, opaque here; empty when nothing was ever saved
 * @param closed of a generation that is over: nobody may take it any more
 */
record ClaimRecord(String owner, String incarnation, FencingToken token, String position, boolean closed) {

    /** What a claim is before its first owner. */
    static ClaimRecord unclaimed(long generation, String start) {
        return new ClaimRecord("", "", new FencingToken(generation, 0), start, false);
    }

    /** Taken: a higher epoch, the same position. */
    ClaimRecord takenBy(Incarnation member) {
        return new ClaimRecord(member.id(), member.name(), token.nextEpoch(), position, false);
    }

    ClaimRecord at(String newPosition) {
        return new ClaimRecord(owner, incarnation, token, newPosition, closed);
    }

    ClaimRecord released(String finalPosition) {
        return new ClaimRecord("", "", token, finalPosition, false);
    }

    /** Out of reach for its last owner and for everybody. */
    ClaimRecord close() {
        return new ClaimRecord("", "", token.nextEpoch(), position, true);
    }

    boolean isFree() {
        return owner.isEmpty();
    }

    /** Whether this very ownership is meant: position and revision may have moved on. */
    boolean isSameOwnership(ClaimRecord other) {
        return owner.equals(other.owner) && incarnation.equals(other.incarnation) && token.equals(other.token);
    }

    byte[] toBytes() {
        BsonDocument document = new BsonDocument("owner", new BsonString(owner))
                .append("incarnation", new BsonString(incarnation))
                .append("generation", new BsonInt64(token.generation()))
                .append("epoch", new BsonInt64(token.epoch()))
                .append("position", new BsonString(position));
        return StoredJson.bytes(closed ? document.append("closed", BsonBoolean.TRUE) : document);
    }

    static ClaimRecord of(Entry entry) {
        return StoredJson.read(
                entry,
                document -> new ClaimRecord(
                        document.getString("owner").getValue(),
                        document.getString("incarnation").getValue(),
                        new FencingToken(
                                document.getNumber("generation").longValue(),
                                document.getNumber("epoch").longValue()),
                        document.getString("position").getValue(),
                        document.containsKey("closed")));
    }
}
