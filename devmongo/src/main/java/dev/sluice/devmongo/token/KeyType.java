package dev.sluice.devmongo.token;

import org.bson.BsonValue;

/** The type bytes of a KeyString. */
final class KeyType {
    static final int NAN = 30;
    static final int NEGATIVE_LARGE = 31;
    static final int NEGATIVE_1_BYTE = 39;
    static final int ZERO = 41;
    static final int POSITIVE_1_BYTE = 43;
    static final int POSITIVE_LARGE = 51;
    static final int STRING = 60;
    static final int OBJECT = 70;
    static final int ARRAY = 80;
    static final int BINARY = 90;
    static final int OBJECT_ID = 100;
    static final int FALSE = 110;
    static final int TRUE = 111;
    static final int DATE = 120;
    static final int TIMESTAMP = 130;
    static final int REGEX = 140;
    private static final int MIN_KEY = 10;
    private static final int UNDEFINED = 15;
    private static final int NULL = 20;
    private static final int NUMERIC = 30;
    private static final int DB_POINTER = 150;
    private static final int CODE = 160;
    private static final int CODE_WITH_SCOPE = 170;
    private static final int MAX_KEY = 240;

    private KeyType() {}

    /** The canonical type: what a field's name is prefixed with inside a document. */
    static int of(BsonValue value) {
        return switch (value.getBsonType()) {
            case MIN_KEY, END_OF_DOCUMENT -> MIN_KEY;
            case UNDEFINED -> UNDEFINED;
            case NULL -> NULL;
            case DOUBLE, INT32, INT64, DECIMAL128 -> NUMERIC;
            case STRING, SYMBOL -> STRING;
            case DOCUMENT -> OBJECT;
            case ARRAY -> ARRAY;
            case BINARY -> BINARY;
            case OBJECT_ID -> OBJECT_ID;
            case BOOLEAN -> FALSE;
            case DATE_TIME -> DATE;
            case TIMESTAMP -> TIMESTAMP;
            case REGULAR_EXPRESSION -> REGEX;
            case DB_POINTER -> DB_POINTER;
            case JAVASCRIPT -> CODE;
            case JAVASCRIPT_WITH_SCOPE -> CODE_WITH_SCOPE;
            case MAX_KEY -> MAX_KEY;
        };
    }
}
