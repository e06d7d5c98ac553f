package dev.sluice.match;

import org.jspecify.annotations.Nullable;

/** Something a document must have on a path for a filter to be worth trying. */
sealed interface Term {
    FieldPath path();

    /** A value of that hash. */
    record EqualTo(FieldPath path, long hash) implements Term {}

    /** Text whose first so many bytes have that hash. */
    record Prefixed(FieldPath path, int length, long hash) implements Term {}

    /**
     * Values of that kind from {@code low} to {@code high}, the ends included; null is open. Of several values, one may
     * lie above the low end and another below the high one.
     */
    @SuppressWarnings("ArrayRecordComponent") // the arrays are the filter's own; identity is all that is needed
    record Within(FieldPath path, int kind, byte @Nullable [] low, byte @Nullable [] high) implements Term {}
}
