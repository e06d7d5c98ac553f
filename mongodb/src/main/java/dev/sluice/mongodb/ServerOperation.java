package dev.sluice.mongodb;

import java.util.Arrays;

/** The kinds of change events a server may send. */
enum ServerOperation {
    INSERT("insert"),
    UPDATE("update"),
    REPLACE("replace"),
    DELETE("delete"),
    DROP("drop"),
    RENAME("rename"),
    DROP_DATABASE("dropDatabase"),
    INVALIDATE("invalidate"),
    /** Of newer servers, and never asked for: it says nothing about documents. */
    OTHER("");

    private static final ServerOperation[] ALL = values();

    private final byte[] text;

    ServerOperation(String text) {
        this.text = RawEvent.name(text);
    }

    static ServerOperation of(byte[] array, int offset, int length) {
        for (ServerOperation operation : ALL) {
            if (Arrays.equals(array, offset, offset + length, operation.text, 0, operation.text.length)) {
                return operation;
            }
        }
        return OTHER;
    }
}
