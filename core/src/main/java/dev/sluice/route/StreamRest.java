package dev.sluice.route;

/** A stream whose log cannot be read rests for a while, and the partition's other streams go on. For the partition's thread. */
final class StreamRest {
    private String why = "";
    private long until;

    /** Why its log cannot be read; empty: it can. */
    String why() {
        return why;
    }

    boolean isOver(long now) {
        return why.isEmpty() || now - until >= 0;
    }

    void begin(String because, long over) {
        why = because;
        until = over;
    }

    /** The log was read. */
    void end() {
        why = "";
    }
}
