package dev.sluice.match;

import org.jspecify.annotations.Nullable;

/**
 * Lets a million filters share what many of them say: their paths, and clauses such as {@code status: "open"}. It
 * remembers what came last under each hash and nothing else, so that strangers cannot make it grow, and what nobody
 * repeats soon gives way. Safe from any thread: what is in it never changes, and losing a race only loses a chance to
 * share.
 */
final class FilterPool {
    /** Shares nothing. */
    static final FilterPool NONE = new FilterPool(0);

    private final @Nullable FieldPath[] paths;
    private final @Nullable Filter[] clauses;

    /** @param size a power of two, or 0 */
    FilterPool(int size) {
        paths = new @Nullable FieldPath[size];
        clauses = new @Nullable Filter[size];
    }

    FieldPath path(String dotted) {
        if (paths.length == 0) {
            return FieldPath.of(dotted);
        }
        int slot = ValueHash.ofText(dotted) & paths.length - 1;
        FieldPath known = paths[slot];
        if (known != null && known.toString().equals(dotted)) {
            return known;
        }
        FieldPath path = FieldPath.of(dotted);
        paths[slot] = path;
        return path;
    }

    Filter clause(Filter clause) {
        if (clauses.length == 0) {
            return clause;
        }
        int slot = clause.hashCode() & clauses.length - 1;
        Filter known = clauses[slot];
        if (known != null && known.equals(clause)) {
            return known;
        }
        clauses[slot] = clause;
        return clause;
    }
}
