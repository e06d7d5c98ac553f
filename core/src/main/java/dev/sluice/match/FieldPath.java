package dev.sluice.match;

import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A dotted path, and MongoDB's way of following it through raw BSON: an array on the way is entered (every document in
 * it, and the element that a numeric component names); a path that ends nowhere leads to "missing" once, but not for
 * array elements that are no documents. The empty path is the value itself.
 */
final class FieldPath {
    static final FieldPath SELF = new FieldPath("", new byte[0][]);
    static final int MAX_COMPONENTS = 32;
    private static final int NO_INDEX = -1;

    private final String text;
    private final byte[][] names;
    private final int[] indexes;

    private FieldPath(String text, byte[][] names) {
        this.text = text;
        this.names = names;
        this.indexes = new int[names.length];
        Arrays.setAll(indexes, k -> index(names[k]));
    }

    static FieldPath of(String dotted) {
        String[] parts = dotted.split("\\.", MAX_COMPONENTS + 1);
        if (parts.length > MAX_COMPONENTS) {
            throw new InvalidInputException("a path in a filter has at most " + MAX_COMPONENTS + " components");
        }
        byte[][] names = new byte[parts.length][];
        Arrays.setAll(names, k -> parts[k].getBytes(StandardCharsets.UTF_8));
        return new FieldPath(dotted, names);
    }

    /** This path, and from its end the other one. */
    FieldPath then(FieldPath rest) {
        if (rest.names.length == 0) {
            return this;
        }
        byte[][] all = Arrays.copyOf(names, names.length + rest.names.length);
        System.arraycopy(rest.names, 0, all, names.length, rest.names.length);
        return names.length == 0 ? rest : new FieldPath(text + '.' + rest.text, all);
    }

    int length() {
        return names.length;
    }

    byte[] name(int depth) {
        return names[depth];
    }

    boolean isIndex(int depth) {
        return indexes[depth] != NO_INDEX;
    }

    /**
     * Whether some value on this path passes. With {@code intoLeaf}, an array at its end is tried element by element,
     * then as a whole.
     */
    boolean any(byte[] bytes, int type, int at, boolean intoLeaf, ValueTest test) {
        return names.length == 0 ? test.accepts(bytes, type, at) : inDocument(bytes, at, 0, intoLeaf, test);
    }

    private boolean inDocument(byte[] bytes, int at, int depth, boolean intoLeaf, ValueTest test) {
        byte[] name = names[depth];
        int element = find(bytes, at, name);
        if (element < 0) {
            return test.accepts(bytes, RawValues.MISSING, 0);
        }
        int type = RawValues.type(bytes, element);
        int value = element + name.length + 2;
        if (depth == names.length - 1) {
            return (intoLeaf && type == RawValues.ARRAY && anyElement(bytes, value, test))
                    || test.accepts(bytes, type, value);
        }
        return switch (type) {
            case RawValues.ARRAY -> inArray(bytes, value, depth + 1, intoLeaf, test);
            case RawValues.DOCUMENT -> inDocument(bytes, value, depth + 1, intoLeaf, test);
            default -> test.accepts(bytes, RawValues.MISSING, 0);
        };
    }

    /** The first element of that name, or -1. */
    private static int find(byte[] bytes, int at, byte[] name) {
        int element = at + RawValues.HEADER;
        while (bytes[element] != 0) {
            if (isNamed(bytes, element + 1, name)) {
                return element;
            }
            element = RawValues.next(bytes, RawValues.type(bytes, element), RawValues.value(bytes, element));
        }
        return -1;
    }

    static boolean isNamed(byte[] bytes, int at, byte[] name) {
        for (int k = 0; k < name.length; k++) {
            if (bytes[at + k] != name[k]) {
                return false;
            }
        }
        return bytes[at + name.length] == 0;
    }

    static boolean anyElement(byte[] bytes, int array, ValueTest test) {
        int element = array + RawValues.HEADER;
        while (bytes[element] != 0) {
            int type = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            if (test.accepts(bytes, type, value)) {
                return true;
            }
            element = RawValues.next(bytes, type, value);
        }
        return false;
    }

    private boolean inArray(byte[] bytes, int array, int depth, boolean intoLeaf, ValueTest test) {
        int element = array + RawValues.HEADER;
        for (int k = 0; bytes[element] != 0; k++) {
            int type = RawValues.type(bytes, element);
            int value = RawValues.value(bytes, element);
            if (type == RawValues.DOCUMENT && inDocument(bytes, value, depth, intoLeaf, test)) {
                return true;
            }
            if (indexes[depth] == k && atIndex(bytes, type, value, depth, intoLeaf, test)) {
                return true;
            }
            element = RawValues.next(bytes, type, value);
        }
        return false;
    }

    private boolean atIndex(byte[] bytes, int type, int value, int depth, boolean intoLeaf, ValueTest test) {
        if (depth == names.length - 1) {
            return test.accepts(bytes, type, value);
        }
        return switch (type) {
            case RawValues.DOCUMENT -> inDocument(bytes, value, depth + 1, intoLeaf, test);
            case RawValues.ARRAY -> inArray(bytes, value, depth + 1, intoLeaf, test);
            default -> false;
        };
    }

    /** The array index a component names, or -1 if it can only be a field name. */
    static int index(byte[] name) {
        boolean canonical = name.length > 0 && name.length < 10 && (name.length == 1 || name[0] != '0');
        int index = 0;
        for (int k = 0; canonical && k < name.length; k++) {
            canonical = name[k] >= '0' && name[k] <= '9';
            index = 10 * index + name[k] - '0';
        }
        return canonical ? index : NO_INDEX;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldPath that && names.length == that.names.length && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return ValueHash.ofText(text) + names.length;
    }

    @Override
    public String toString() {
        return text;
    }
}
