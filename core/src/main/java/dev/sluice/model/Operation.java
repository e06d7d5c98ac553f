package dev.sluice.model;

/** What a change event says happened. Data events concern one document; control events concern more, or none. */
public enum Operation {
    INSERT("insert", true),
    UPDATE("update", true),
    REPLACE("replace", true),
    DELETE("delete", true),
    /** A collection was dropped. */
    DROP("drop", false),
    /** A collection was renamed. */
    RENAME("rename", false),
    /** The watched database is gone; capture goes on behind it. */
    INVALIDATE("invalidate", false),
    /** Changes were lost that nobody can bring back: read the source's current state again. */
    RESYNC("resync", false),
    /** Nothing happened until this time. Only sent to those who asked for heartbeats, never stored. */
    HEARTBEAT("heartbeat", false);

    private static final Operation[] BY_CODE = values();

    private final String text;
    private final boolean data;

    Operation(String text, boolean data) {
        this.text = text;
        this.data = data;
    }

    /** The name outside programs see. */
    public String text() {
        return text;
    }

    public boolean isData() {
        return data;
    }

    public boolean isControl() {
        return !data;
    }

    /** The number that stands for this operation in files; the order of the constants is therefore fixed. */
    public int code() {
        return ordinal();
    }

    public static Operation ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new InvalidInputException("there is no operation number " + code);
        }
        return BY_CODE[code];
    }

    public static Operation parse(String text) {
        for (Operation operation : BY_CODE) {
            if (operation.text.equals(text)) {
                return operation;
            }
        }
        throw new InvalidInputException("there is no operation " + InvalidInputException.quote(text));
    }
}
