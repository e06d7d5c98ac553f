package dev.sluice.worker.migrate;

/**
 * A verdict on one window of a worker.
 *
 * @param text why it is bad or counts for neither side; empty when it is good
 */
record Verdict(Kind kind, String text) {
    static final Verdict GOOD = new Verdict(Kind.GOOD, "");

    enum Kind {
        GOOD,
        /** It says nothing of the new mode. */
        NEUTRAL,
        BAD
    }

    static Verdict bad(String text) {
        return new Verdict(Kind.BAD, text);
    }

    static Verdict neutral(String text) {
        return new Verdict(Kind.NEUTRAL, text);
    }

    boolean isGood() {
        return kind == Kind.GOOD;
    }

    /** The worse of both; this one when they are equally bad. */
    Verdict and(Verdict other) {
        return other.kind.compareTo(kind) > 0 ? other : this;
    }
}
