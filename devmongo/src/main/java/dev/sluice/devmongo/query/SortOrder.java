package dev.sluice.devmongo.query;

import java.util.Comparator;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** A {@code sort} specification as a comparator. */
public final class SortOrder implements Comparator<BsonDocument> {
    private final BsonDocument keys;

    private SortOrder(BsonDocument keys) {
        this.keys = keys;
    }

    public static SortOrder compile(BsonDocument keys) {
        return new SortOrder(keys);
    }

    @Override
    public int compare(BsonDocument a, BsonDocument b) {
        for (var key : keys.entrySet()) {
            BsonValue left = a.get(key.getKey(), BsonNull.VALUE);
            int order = BsonOrder.INSTANCE.compare(left, b.get(key.getKey(), BsonNull.VALUE));
            if (order != 0) {
                return key.getValue().asNumber().intValue() < 0 ? -order : order;
            }
        }
        return 0;
    }
}
