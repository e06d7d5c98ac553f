package dev.sluice.match;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.RawBson;
import java.util.Arrays;

/**
 * A condition on a document in the style of MongoDB's queries, compiled once and asked of raw bytes: nothing is decoded
 * and, decimals aside, nothing allocated. Filters are values: equal ones are interchangeable. {@code docs/filters.md}
 * lists the language and its limits.
 */
public sealed interface Filter {
    /** Asked of one value: a document where a filter stands on its own, an element inside {@code $elemMatch}. */
    boolean test(byte[] bytes, int type, int at);

    /** @throws InvalidInputException one sentence that says what is wrong with the text */
    static Filter parse(String json) {
        return new FilterParser(FilterPool.NONE).parse(json);
    }

    /** @throws InvalidInputException one sentence that says what is wrong with the document */
    static Filter parse(RawBson bson) {
        return new FilterParser(FilterPool.NONE).parse(bson);
    }

    /** @throws InvalidInputException when the document is damaged */
    default boolean matches(RawBson document) {
        try {
            return test(document.array(), RawValues.DOCUMENT, document.offset());
        } catch (IndexOutOfBoundsException e) {
            throw new InvalidInputException("the document is not BSON: it ends within a value");
        }
    }

    /** Whether it holds for every document. */
    default boolean isEverything() {
        return this instanceof AllOf all && all.clauses.length == 0;
    }

    /** Of no clause: every document. */
    @SuppressWarnings("ArrayRecordComponent") // compared by content below; an array is the smallest list there is
    record AllOf(Filter... clauses) implements Filter {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            for (Filter clause : clauses) {
                if (!clause.test(bytes, type, at)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof AllOf that && Arrays.equals(clauses, that.clauses);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(clauses);
        }
    }

    /** Of no clause: no document. */
    @SuppressWarnings("ArrayRecordComponent")
    record AnyOf(Filter... clauses) implements Filter {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            for (Filter clause : clauses) {
                if (clause.test(bytes, type, at)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof AnyOf that && Arrays.equals(clauses, that.clauses);
        }

        @Override
        public int hashCode() {
            return ~Arrays.hashCode(clauses);
        }
    }

    record Not(Filter filter) implements Filter {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            return !filter.test(bytes, type, at);
        }
    }

    /**
     * Some value on the path compares so with the operand.
     *
     * @param operand its type, then its value as it stands in BSON
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by content below; there are a million of them
    record Compare(FieldPath path, Comparison comparison, byte[] operand) implements Filter, ValueTest {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            return path.any(bytes, type, at, true, this);
        }

        @Override
        public boolean accepts(byte[] bytes, int type, int at) {
            return comparison.holds(bytes, type, at, operand);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Compare that
                    && comparison == that.comparison
                    && path.equals(that.path)
                    && Arrays.equals(operand, that.operand);
        }

        @Override
        public int hashCode() {
            return (31 * path.hashCode() + comparison.ordinal()) * 31 + ValueHash.ofBytes(operand);
        }
    }

    /** Some value on the path is one of these. */
    record OneOf(FieldPath path, ValueSet values) implements Filter, ValueTest {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            return path.any(bytes, type, at, true, this);
        }

        @Override
        public boolean accepts(byte[] bytes, int type, int at) {
            return values.contains(bytes, type, at);
        }
    }

    /** Some text on the path starts so, or is the same pattern stored as a value. */
    record StartsWith(FieldPath path, PrefixPattern pattern) implements Filter, ValueTest {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            return path.any(bytes, type, at, true, this);
        }

        @Override
        public boolean accepts(byte[] bytes, int type, int at) {
            return pattern.matches(bytes, type, at);
        }
    }

    /** The path leads to a value, be it null. */
    record Exists(FieldPath path) implements Filter, ValueTest {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            return path.any(bytes, type, at, true, this);
        }

        @Override
        public boolean accepts(byte[] bytes, int type, int at) {
            return type != RawValues.MISSING;
        }
    }

    /** An array of that many elements is at the end of the path. */
    record HasSize(FieldPath path, int size) implements Filter, ValueTest {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            return path.any(bytes, type, at, false, this);
        }

        @Override
        public boolean accepts(byte[] bytes, int type, int at) {
            if (type != RawValues.ARRAY) {
                return false;
            }
            int count = 0;
            int element = at + RawValues.HEADER;
            while (bytes[element] != 0 && count <= size) {
                element = RawValues.next(bytes, RawValues.type(bytes, element), RawValues.value(bytes, element));
                count++;
            }
            return count == size;
        }
    }

    /**
     * An array at the end of the path has an element for which the inner filter holds.
     *
     * @param ofDocuments the inner filter names fields: it is asked of documents, and of nested arrays by index
     */
    record AnyElement(FieldPath path, Filter inner, boolean ofDocuments) implements Filter, ValueTest {
        @Override
        public boolean test(byte[] bytes, int type, int at) {
            return path.any(bytes, type, at, false, this);
        }

        @Override
        public boolean accepts(byte[] bytes, int type, int at) {
            if (type != RawValues.ARRAY) {
                return false;
            }
            int element = at + RawValues.HEADER;
            while (bytes[element] != 0) {
                int elementType = RawValues.type(bytes, element);
                int value = RawValues.value(bytes, element);
                boolean asked = !ofDocuments || elementType == RawValues.DOCUMENT || elementType == RawValues.ARRAY;
                if (asked && inner.test(bytes, elementType, value)) {
                    return true;
                }
                element = RawValues.next(bytes, elementType, value);
            }
            return false;
        }
    }
}
