package dev.sluice.testkit.ledger;

/** What can be wrong with what a consumer got. */
public enum Finding {
    /** A confirmed write that was owed never came. */
    LOST("lost", true),
    /** A version came for the first time after a newer one of the same document. */
    REORDERED("reordered", true),
    /** A version came that was neither written nor attempted. */
    NEVER_WRITTEN("never written", true),
    /** A document came that the consumer had not asked for. */
    UNWANTED("unwanted", true),
    /** The same change came under two event ids, to this consumer or to two of them. */
    CHANGED_ID("changed id", true),
    /** A version came once more. Allowed by "at least once": the test bounds the number. */
    DUPLICATE("duplicated", false),
    /** A duplicate that did not say so. */
    UNFLAGGED_DUPLICATE("duplicated unflagged", false);

    private final String label;
    private final boolean fault;

    Finding(String label, boolean fault) {
        this.label = label;
        this.fault = fault;
    }

    String label() {
        return label;
    }

    /** Whether it is wrong however often it happens. */
    public boolean isFault() {
        return fault;
    }
}
