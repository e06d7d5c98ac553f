package dev.sluice.coordinate.identity;

/** What the {@link MemberGate} says to one record. */
public sealed interface Admission {
    /** The record counts. */
    record Admitted(MemberRecord member) implements Admission {}

    /**
     * The record is older than one of the same incarnation that was admitted before: a replay, or a late read. It counts
     * for nothing; the newest still does, for its lease is held.
     */
    record Outdated(MemberRecord newest) implements Admission {}

    /**
     * The record counts for nothing.
     *
     * @param reason one sentence for operators; it repeats nothing the record says except the id of its key
     */
    record Refused(String id, Cause cause, String reason) implements Admission {}

    /** Why; for counters and the audit trail. */
    enum Cause {
        MALFORMED,
        UNSIGNED,
        ALTERED,
        FOREIGN,
        ENDED
    }
}
