package dev.sluice.coordinate.audit;

import dev.sluice.model.FencingToken;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened.
 *
 * @param number counts from 1 without gaps, so that a reader sees what has already fallen out of the view
 * @param at this machine's wall clock, for people
 * @param partition null when it is not about one
 * @param detail one sentence, or empty
 */
public record AuditEvent(
        long number,
        Instant at,
        Kind kind,
        String member,
        @Nullable Integer partition,
        @Nullable FencingToken token,
        String detail) {

    /** What can happen, and whether an operator should look. */
    public enum Kind {
        JOINED(false),
        LEFT(false),
        /** A member is gone without having left. */
        DIED(true),
        ELECTED(false),
        DEPOSED(true),
        REASSIGNED(false),
        CLAIMED(false),
        RELEASED(false),
        /** Ownership ended without a release: the deadline passed, or another took it. */
        LOST(true),
        LAYOUT(false),
        /** A record, a claim or a write that was not accepted. */
        REFUSED(true);

        private final boolean alarming;

        Kind(boolean alarming) {
            this.alarming = alarming;
        }

        boolean alarming() {
            return alarming;
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
