package dev.sluice.mongodb;

/**
 * How events are asked for. One event that exceeds the server's limit fails the whole reply it would be part of, so the
 * way around it goes in steps: find it ({@link #ONE_BY_ONE}), take it without the looked-up document ({@link #SLIM}), or
 * with nothing but its identity ({@link #BARE}), then go on as before.
 */
enum Reading {
    NORMAL,
    ONE_BY_ONE,
    SLIM,
    BARE;

    /** What to try after an event was too large for this. */
    Reading smaller() {
        return switch (this) {
            case NORMAL -> ONE_BY_ONE;
            case ONE_BY_ONE -> SLIM;
            case SLIM, BARE -> BARE;
        };
    }

    boolean leavesSomethingOut() {
        return this == SLIM || this == BARE;
    }
}
