package dev.sluice.mongodb;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * What the server can do.
 *
 * @param version as it says itself
 * @param images it can keep documents as they were before and after a change (6.0 on)
 * @param splits it can split events beyond the size limit (6.0.9, and 7.0 on)
 * @param sharded a router: an empty batch does not mean that every shard was read up to now
 */
record ServerTraits(String version, boolean images, boolean splits, boolean sharded) {
    static ServerTraits of(BsonDocument buildInfo, BsonDocument hello) {
        List<Integer> version = buildInfo.getArray("versionArray").stream()
                .map(BsonValue::asNumber)
                .map(number -> number.intValue())
                .toList();
        boolean router =
                "isdbgrid".equals(hello.getString("msg", new BsonString("")).getValue());
        return new ServerTraits(
                buildInfo.getString("version").getValue(), version.get(0) >= 6, splitsAt(version), router);
    }

    private static boolean splitsAt(List<Integer> version) {
        int major = version.get(0);
        return major >= 7 || (major == 6 && (version.get(1) > 0 || version.get(2) >= 9));
    }
}
