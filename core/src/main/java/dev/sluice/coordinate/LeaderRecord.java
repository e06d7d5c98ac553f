package dev.sluice.coordinate;

import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** Who leads. @param epoch grows with every change of the leader; its writes carry it */
record LeaderRecord(String owner, String incarnation, long epoch) {
    static final LeaderRecord NOBODY = new LeaderRecord("", "", 0);

    LeaderRecord nextTo(Incarnation member) {
        return new LeaderRecord(member.id(), member.name(), epoch + 1);
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
