package dev.sluice.outbox.table;

/** What becomes of a row that was sent. */
public enum Keeping {
    DELETE,
    /** It is moved to {@code outbox_sent}, and is there until {@link OutboxTable#cleanSent} clears it away. */
    KEEP
}
