package dev.sluice.devmongo.query;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What a filter demands of one field. It can be asked of a path in a document, where arrays are entered, and of one
 * array element as it stands, as {@code $elemMatch} does. Answers are positions as {@link FieldPath#find} gives them.
 */
sealed interface Criterion {
    int locate(FieldPath path, BsonDocument document);

    boolean holdsFor(@Nullable BsonValue element);

    /** Some value on the path passes; an array at its end is tried element by element and as a whole. */
    record AnyValue(ValueTest test) implements Criterion {
        @Override
        public int locate(FieldPath path, BsonDocument document) {
            return path.find(document, true, test);
        }

        @Override
        public boolean holdsFor(@Nullable BsonValue element) {
            return test.test(element);
        }
    }

    /** An array at the end of the path has an element that passes ({@code $elemMatch}). */
    record AnyElement(ValueTest test) implements Criterion {
        @Override
        public int locate(FieldPath path, BsonDocument document) {
            int[] position = {FieldPath.NOT_FOUND};
            int outer = path.find(document, false, value -> (position[0] = positionIn(value)) >= 0);
            return outer == FieldPath.NO_POSITION ? position[0] : outer;
        }

        @Override
        public boolean holdsFor(@Nullable BsonValue element) {
            return positionIn(element) >= 0;
        }

        private int positionIn(@Nullable BsonValue value) {
            if (value instanceof BsonArray array) {
                for (int i = 0; i < array.size(); i++) {
                    if (test.test(array.get(i))) {
                        return i;
                    }
                }
            }
            return FieldPath.NOT_FOUND;
        }
    }

    /** The value at the end of the path passes as it stands, an array as a whole ({@code $size}). */
    record WholeValue(ValueTest test) implements Criterion {
        @Override
        public int locate(FieldPath path, BsonDocument document) {
            return path.find(document, false, test);
        }

        @Override
        public boolean holdsFor(@Nullable BsonValue element) {
            return test.test(element);
        }
    }

    record Not(Criterion criterion) implements Criterion {
        @Override
        public int locate(FieldPath path, BsonDocument document) {
            boolean found = criterion.locate(path, document) != FieldPath.NOT_FOUND;
            return found ? FieldPath.NOT_FOUND : FieldPath.NO_POSITION;
        }

        @Override
        public boolean holdsFor(@Nullable BsonValue element) {
            return !criterion.holdsFor(element);
        }
    }

    /** All hold; the last one that went through an array says the position. */
    record All(List<Criterion> criteria) implements Criterion {
        @Override
        public int locate(FieldPath path, BsonDocument document) {
            int position = FieldPath.NO_POSITION;
            for (int i = 0; i < criteria.size(); i++) {
                int found = criteria.get(i).locate(path, document);
                if (found == FieldPath.NOT_FOUND) {
                    return found;
                }
                position = found >= 0 ? found : position;
            }
            return position;
        }

        @Override
        public boolean holdsFor(@Nullable BsonValue element) {
            return criteria.stream().allMatch(criterion -> criterion.holdsFor(element));
        }
    }
}
