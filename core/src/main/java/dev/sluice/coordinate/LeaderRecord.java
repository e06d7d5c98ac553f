package dev.sluice.coordinate;

import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** Who leads. @param epoch grows with every change of the leader; its writes carry it */
record LeaderRecord(String owner, String incarnation, long epoch) {
    static final LeaderRecord NOBODY = new LeaderRecord("", "", 0);

    /** Beyond it no honest epoch gets; what a stranger wrote to stop elections for good is. */
    private static final long MAX_EPOCH = 1L << 53;

    /** @param assignment the epoch of the assignment, which is the higher one where this record was deleted */
    LeaderRecord nextTo(Incarnation member, long assignment) {
        long last = epoch > MAX_EPOCH ? 0 : epoch;
        return new LeaderRecord(member.id(), member.name(), Math.max(last, assignment) + 1);
    }

    LeaderRecord resigned() {
        return new LeaderRecord("", "", epoch);
    }

    byte[] toBytes() {
        return StoredJson.bytes(new BsonDocument("owner", new BsonString(owner))
                .append("incarnation", new BsonString(incarnation))
                .append("epoch", new BsonInt64(epoch)));
    }

    static LeaderRecord of(Entry entry) {
        return StoredJson.read(
                entry,
                document -> new LeaderRecord(
                        document.getString("owner").getValue(),
                        document.getString("incarnation").getValue(),
                        document.getNumber("epoch").longValue()));
    }
}
