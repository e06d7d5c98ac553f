package dev.sluice.devmongo.aggregate;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.BsonOrder;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Gathers the values of one group into one. Not reusable. */
interface Accumulator {
    void add(@Nullable BsonValue value);

    BsonValue result();

    static Accumulator named(String name) {
        return switch (name) {
            case "$sum" -> new Sum();
            case "$avg" -> new Average();
            case "$min" -> new Extreme(-1);
            case "$max" -> new Extreme(1);
            case "$first" -> new First();
            case "$last" -> new Last();
            case "$push" -> new Push();
            case "$addToSet" -> new AddToSet();
            default -> throw CommandException.location(15952, "unknown group operator '" + name + "'");
        };
    }

    final class Sum implements Accumulator {
        private BsonNumber sum = new BsonInt32(0);

        @Override
        public void add(@Nullable BsonValue value) {
            if (value instanceof BsonNumber number) {
                sum = Numbers.add(sum, number);
            }
        }

        @Override
        public BsonValue result() {
            return sum;
        }
    }

    final class Average implements Accumulator {
        private BsonNumber sum = new BsonInt32(0);
        private int count;

        @Override
        public void add(@Nullable BsonValue value) {
            if (value instanceof BsonNumber number) {
                sum = Numbers.add(sum, number);
                count++;
            }
        }

        @Override
        public BsonValue result() {
            return count == 0 ? BsonNull.VALUE : Numbers.divide(sum, new BsonDouble(count));
        }
    }

    /** Smallest (-1) or largest (1); null and missing do not take part. */
    final class Extreme implements Accumulator {
        private final int side;
        private BsonValue extreme = BsonNull.VALUE;

        Extreme(int side) {
            this.side = side;
        }

        @Override
        public void add(@Nullable BsonValue value) {
            if (value != null
                    && !Expression.isNothing(value)
                    && (extreme.isNull() || side * BsonOrder.INSTANCE.compare(value, extreme) > 0)) {
                extreme = value;
            }
        }

        @Override
        public BsonValue result() {
            return extreme;
        }
    }

    final class First implements Accumulator {
        private @Nullable BsonValue first;

        @Override
        public void add(@Nullable BsonValue value) {
            if (first == null) {
                first = value == null ? BsonNull.VALUE : value;
            }
        }

        @Override
        public BsonValue result() {
            return first == null ? BsonNull.VALUE : first;
        }
    }

    final class Last implements Accumulator {
        private BsonValue last = BsonNull.VALUE;

        @Override
        public void add(@Nullable BsonValue value) {
            last = value == null ? BsonNull.VALUE : value;
        }

        @Override
        public BsonValue result() {
            return last;
        }
    }

    final class Push implements Accumulator {
        private final BsonArray values = new BsonArray();

        @Override
        public void add(@Nullable BsonValue value) {
            if (value != null) {
                values.add(value);
            }
        }

        @Override
        public BsonValue result() {
            return values;
        }
    }

    final class AddToSet implements Accumulator {
        private final TreeSet<BsonValue> values = new TreeSet<>(BsonOrder.INSTANCE);

        @Override
        public void add(@Nullable BsonValue value) {
            if (value != null) {
                values.add(value);
            }
        }

        @Override
        public BsonValue result() {
            return new BsonArray(new java.util.ArrayList<>(values));
        }
    }
}
