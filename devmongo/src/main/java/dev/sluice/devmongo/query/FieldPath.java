package dev.sluice.devmongo.query;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A dotted path through a document, and MongoDB's way of following it: an array on the way is entered (every
 * sub-document of it, and the element that a numeric component names), a path that ends nowhere yields "missing"
 * once, but not for array elements that are no documents.
 */
final class FieldPath {
    /** No value on the path passed the test. */
    static final int NOT_FOUND = -2;
    /** A value passed, and no array was entered to reach it. */
    static final int NO_POSITION = -1;

    private static final int NO_INDEX = -1;

    private final String[] names;
    private final int[] indexes;

    FieldPath(String dotted) {
        names = dotted.split("\\.", -1);
        indexes = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            indexes[i] = index(names[i]);
        }
    }

    /**
     * The position in the outermost array of the first value that passes {@code test}, or one of the constants. With
     * {@code intoLeaf}, an array at the end of the path is tried element by element, then as a whole.
     */
    int find(BsonDocument document, boolean intoLeaf, ValueTest test) {
        return inDocument(document, 0, intoLeaf, test);
    }

    private int inDocument(BsonDocument document, int depth, boolean intoLeaf, ValueTest test) {
        @Nullable BsonValue value = document.get(names[depth]);
        boolean last = depth == names.length - 1;
        if (value instanceof BsonArray array) {
            return last ? atLeaf(array, intoLeaf, test) : inArray(array, depth + 1, intoLeaf, test);
        }
        if (last) {
            return test.test(value) ? NO_POSITION : NOT_FOUND;
        }
        if (value instanceof BsonDocument nested) {
            return inDocument(nested, depth + 1, intoLeaf, test);
        }
        return test.test(null) ? NO_POSITION : NOT_FOUND;
    }

    private static int atLeaf(BsonArray array, boolean intoLeaf, ValueTest test) {
        for (int i = 0; intoLeaf && i < array.size(); i++) {
            if (test.test(array.get(i))) {
                return i;
            }
        }
        return test.test(array) ? NO_POSITION : NOT_FOUND;
    }

    private int inArray(BsonArray array, int depth, boolean intoLeaf, ValueTest test) {
        for (int i = 0; i < array.size(); i++) {
            BsonValue element = array.get(i);
            if (element instanceof BsonDocument nested && inDocument(nested, depth, intoLeaf, test) != NOT_FOUND) {
                return i;
            }
            if (indexes[depth] == i && atIndex(element, depth, intoLeaf, test)) {
                return i;
            }
        }
        return NOT_FOUND;
    }

    private boolean atIndex(BsonValue element, int depth, boolean intoLeaf, ValueTest test) {
        if (depth == names.length - 1) {
            return test.test(element);
        }
        return switch (element) {
            case BsonDocument nested -> inDocument(nested, depth + 1, intoLeaf, test) != NOT_FOUND;
            case BsonArray nested -> inArray(nested, depth + 1, intoLeaf, test) != NOT_FOUND;
            default -> false;
        };
    }

    /** The array index a path component names, or -1 if it can only be a field name. */
    static int index(String name) {
        boolean canonical = !name.isEmpty() && name.length() < 10 && (name.length() == 1 || name.charAt(0) != '0');
        for (int i = 0; canonical && i < name.length(); i++) {
            canonical = name.charAt(i) >= '0' && name.charAt(i) <= '9';
        }
        return canonical ? Integer.parseInt(name) : NO_INDEX;
    }
}
