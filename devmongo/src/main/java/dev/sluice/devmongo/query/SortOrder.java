package dev.sluice.devmongo.query;

import dev.sluice.devmongo.CommandException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A {@code sort} specification as a comparator. An array sorts by its smallest element upwards and by its largest
 * downwards, a missing field as null, an empty array before null.
 */
public final class SortOrder implements Comparator<BsonDocument> {
    private record Key(FieldPath path, boolean ascending) {}

    private final List<Key> keys;

    private SortOrder(List<Key> keys) {
        this.keys = keys;
    }

    public static SortOrder compile(BsonDocument specification) {
        List<Key> keys = new ArrayList<>();
        for (Map.Entry<String, BsonValue> entry : specification.entrySet()) {
            if (!(entry.getValue() instanceof BsonNumber direction) || Math.abs(direction.doubleValue()) != 1) {
                throw CommandException.location(
                        15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
            }
            keys.add(new Key(new FieldPath(entry.getKey()), direction.doubleValue() > 0));
        }
        return new SortOrder(List.copyOf(keys));
    }

    @Override
    public int compare(BsonDocument a, BsonDocument b) {
        for (Key key : keys) {
            int order = BsonOrder.INSTANCE.compare(valueOf(a, key), valueOf(b, key));
            if (order != 0) {
                return key.ascending ? order : -order;
            }
        }
        return 0;
    }

    private static BsonValue valueOf(BsonDocument document, Key key) {
        Extreme extreme = new Extreme(key.ascending);
        key.path.find(document, false, extreme);
        return extreme.value == null ? BsonNull.VALUE : extreme.value;
    }

    /** Looks at every value on the path (it never says "found") and keeps the one that sorts first. */
    private static final class Extreme implements ValueTest {
        /** Sorts as MongoDB's undefined: before null. */
        private static final BsonValue EMPTY_ARRAY = new BsonUndefined();

        private final boolean smallest;
        private @Nullable BsonValue value;

        Extreme(boolean smallest) {
            this.smallest = smallest;
        }

        @Override
        public boolean test(@Nullable BsonValue candidate) {
            if (candidate instanceof BsonArray array) {
                array.forEach(this::keep);
                if (array.isEmpty()) {
                    keep(EMPTY_ARRAY);
                }
            } else {
                keep(candidate == null ? BsonNull.VALUE : candidate);
            }
            return false;
        }

        private void keep(BsonValue candidate) {
            if (value == null || BsonOrder.INSTANCE.compare(candidate, value) < 0 == smallest) {
                value = candidate;
            }
        }
    }
}
