package dev.sluice.deliver;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;

/** What a subscription is told of an event; the names are what gateways see. */
public enum EventType {
    INSERT("insert"),
    UPDATE("update"),
    REPLACE("replace"),
    DELETE("delete"),
    DROP("drop"),
    RENAME("rename"),
    INVALIDATE("invalidate"),
    /** Changes are missing: read the source's current state again. */
    RESYNC("resync"),
    /** The document matches the filter, and did not before. */
    ENTER("enter"),
    /** The document matched the filter, and does no longer. */
    LEAVE("leave");

    private static final EventType[] ALL = values();

    private final String text;

    EventType(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    /** Whether it concerns more than one document: a collection, a database, or all of the source. */
    public boolean isControl() {
        return switch (this) {
            case DROP, RENAME, INVALIDATE, RESYNC -> true;
            case INSERT, UPDATE, REPLACE, DELETE, ENTER, LEAVE -> false;
        };
    }

    /** What most subscriptions are told: the operation itself. Heartbeats are told to nobody. */
    public static EventType of(Operation operation) {
        return parse(operation.text());
    }

    public static EventType parse(String text) {
        for (EventType type : ALL) {
            if (type.text.equals(text)) {
                return type;
            }
        }
        throw new InvalidInputException("there is no event type " + InvalidInputException.quote(text));
    }
}
