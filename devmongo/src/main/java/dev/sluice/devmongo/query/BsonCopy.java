package dev.sluice.devmongo.query;

import java.util.Iterator;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Copies and compares documents as bytes would: plain mutable containers out of raw ones, field order kept. */
public final class BsonCopy {
    private BsonCopy() {}

    /** A copy whose documents and arrays may be changed; the other values are immutable and shared. */
    public static BsonDocument of(BsonDocument document) {
        BsonDocument copy = new BsonDocument();
        document.forEach((name, value) -> copy.put(name, of(value)));
        return copy;
    }

    public static BsonValue of(BsonValue value) {
        return switch (value) {
            case BsonDocument document -> of(document);
            case BsonArray array -> {
                BsonArray copy = new BsonArray();
                array.forEach(element -> copy.add(of(element)));
                yield copy;
            }
            default -> value;
        };
    }

    /** Same types, same values, same field order: writing one over the other would change nothing. */
    public static boolean identical(BsonValue a, BsonValue b) {
        if (a instanceof BsonDocument left && b instanceof BsonDocument right) {
            return identical(left, right);
        }
        if (a instanceof BsonArray left && b instanceof BsonArray right) {
            return identical(left, right);
        }
        return a.equals(b);
    }

    private static boolean identical(BsonDocument a, BsonDocument b) {
        Iterator<Map.Entry<String, BsonValue>> left = a.entrySet().iterator();
        Iterator<Map.Entry<String, BsonValue>> right = b.entrySet().iterator();
        while (left.hasNext() && right.hasNext()) {
            var x = left.next();
            var y = right.next();
            if (!x.getKey().equals(y.getKey()) || !identical(x.getValue(), y.getValue())) {
                return false;
            }
        }
        return left.hasNext() == right.hasNext();
    }

    private static boolean identical(BsonArray a, BsonArray b) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!identical(a.get(i), b.get(i))) {
                return false;
            }
        }
        return true;
    }
}
