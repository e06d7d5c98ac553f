package dev.sluice.devmongo.query;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDbPointer;
import org.bson.BsonDocument;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonNumber;
import org.bson.BsonRegularExpression;
import org.bson.BsonSymbol;
import org.bson.BsonValue;

/**
 * MongoDB's order over all BSON values: first by kind of type, then by value, numbers exactly across their four
 * types. It is a total order, so it also serves sorting; type bracketing of range queries is the caller's business.
 */
public final class BsonOrder implements Comparator<BsonValue> {
    public static final BsonOrder INSTANCE = new BsonOrder();

    private BsonOrder() {}

    /** Equality as queries see it: {@code 1} equals {@code 1.0}, and field order matters. */
    public static boolean valuesEqual(BsonValue a, BsonValue b) {
        return INSTANCE.compare(a, b) == 0;
    }

    @Override
    public int compare(BsonValue a, BsonValue b) {
        int rank = kind(a);
        int byKind = Integer.compare(rank, kind(b));
        return byKind != 0 || a == b ? byKind : compareWithinKind(a, b);
    }

    /** Types that compare with each other share a kind; kinds come in MongoDB's order. */
    static int kind(BsonValue value) {
        return switch (value.getBsonType()) {
            case MIN_KEY -> 0;
            case END_OF_DOCUMENT, UNDEFINED, NULL -> 1;
            case INT32, INT64, DOUBLE, DECIMAL128 -> 2;
            case STRING, SYMBOL -> 3;
            case DOCUMENT -> 4;
            case ARRAY -> 5;
            case BINARY -> 6;
            case OBJECT_ID -> 7;
            case BOOLEAN -> 8;
            case DATE_TIME -> 9;
            case TIMESTAMP -> 10;
            case REGULAR_EXPRESSION -> 11;
            case DB_POINTER -> 12;
            case JAVASCRIPT -> 13;
            case JAVASCRIPT_WITH_SCOPE -> 14;
            case MAX_KEY -> 15;
        };
    }

    private int compareWithinKind(BsonValue a, BsonValue b) {
        return switch (a.getBsonType()) {
            case MIN_KEY, MAX_KEY -> 0;
            // undefined sorts just before null
            case NULL, UNDEFINED, END_OF_DOCUMENT -> Boolean.compare(a.isNull(), b.isNull());
            case INT32, INT64, DOUBLE, DECIMAL128 -> NumberOrder.compare((BsonNumber) a, (BsonNumber) b);
            case STRING, SYMBOL -> compareText(text(a), text(b));
            case DOCUMENT -> compareDocuments(a.asDocument(), b.asDocument());
            case ARRAY -> compareArrays(a.asArray(), b.asArray());
            case BINARY -> compareBinaries(a.asBinary(), b.asBinary());
            case OBJECT_ID -> a.asObjectId().compareTo(b.asObjectId());
            case BOOLEAN ->
                Boolean.compare(a.asBoolean().getValue(), b.asBoolean().getValue());
            case DATE_TIME ->
                Long.compare(a.asDateTime().getValue(), b.asDateTime().getValue());
            case TIMESTAMP -> a.asTimestamp().compareTo(b.asTimestamp());
            case REGULAR_EXPRESSION -> compareRegexes(a.asRegularExpression(), b.asRegularExpression());
            case DB_POINTER -> comparePointers(a.asDBPointer(), b.asDBPointer());
            case JAVASCRIPT ->
                compareText(a.asJavaScript().getCode(), b.asJavaScript().getCode());
            case JAVASCRIPT_WITH_SCOPE -> compareCode(a.asJavaScriptWithScope(), b.asJavaScriptWithScope());
        };
    }

    static String text(BsonValue value) {
        return value instanceof BsonSymbol symbol
                ? symbol.getSymbol()
                : value.asString().getValue();
    }

    /** As UTF-8 bytes compare: by code point, which differs from Java's order beyond the basic plane. */
    static int compareText(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean surrogates = Character.isSurrogate(x) != Character.isSurrogate(y);
                return surrogates ? (Character.isSurrogate(x) ? 1 : -1) : Character.compare(x, y);
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    private int compareDocuments(BsonDocument a, BsonDocument b) {
        Iterator<Map.Entry<String, BsonValue>> left = a.entrySet().iterator();
        Iterator<Map.Entry<String, BsonValue>> right = b.entrySet().iterator();
        while (left.hasNext() && right.hasNext()) {
            var x = left.next();
            var y = right.next();
            int order = Integer.compare(kind(x.getValue()), kind(y.getValue()));
            if (order == 0) {
                order = compareText(x.getKey(), y.getKey());
            }
            if (order == 0) {
                order = compare(x.getValue(), y.getValue());
            }
            if (order != 0) {
                return order;
            }
        }
        return Boolean.compare(left.hasNext(), right.hasNext());
    }

    private int compareArrays(BsonArray a, BsonArray b) {
        Iterator<BsonValue> left = a.iterator();
        Iterator<BsonValue> right = b.iterator();
        while (left.hasNext() && right.hasNext()) {
            int order = compare(left.next(), right.next());
            if (order != 0) {
                return order;
            }
        }
        return Boolean.compare(left.hasNext(), right.hasNext());
    }

    private static int compareBinaries(BsonBinary a, BsonBinary b) {
        int order = Integer.compare(a.getData().length, b.getData().length);
        if (order == 0) {
            order = Integer.compare(Byte.toUnsignedInt(a.getType()), Byte.toUnsignedInt(b.getType()));
        }
        return order != 0 ? order : Arrays.compareUnsigned(a.getData(), b.getData());
    }

    private static int compareRegexes(BsonRegularExpression a, BsonRegularExpression b) {
        int order = compareText(a.getPattern(), b.getPattern());
        return order != 0 ? order : compareText(a.getOptions(), b.getOptions());
    }

    private static int comparePointers(BsonDbPointer a, BsonDbPointer b) {
        int order = compareText(a.getNamespace(), b.getNamespace());
        return order != 0 ? order : a.getId().compareTo(b.getId());
    }

    private int compareCode(BsonJavaScriptWithScope a, BsonJavaScriptWithScope b) {
        int order = compareText(a.getCode(), b.getCode());
        return order != 0 ? order : compareDocuments(a.getScope(), b.getScope());
    }
}
