package dev.sluice.devmongo.query;

import java.util.Comparator;
import org.bson.BsonValue;

/** MongoDB's order over all BSON values. */
public final class BsonOrder implements Comparator<BsonValue> {
    public static final BsonOrder INSTANCE = new BsonOrder();

    private BsonOrder() {}

    public static boolean valuesEqual(BsonValue a, BsonValue b) {
        return INSTANCE.compare(a, b) == 0;
    }

    @Override
    public int compare(BsonValue a, BsonValue b) {
        return a.equals(b) ? 0 : a.toString().compareTo(b.toString());
    }
}
