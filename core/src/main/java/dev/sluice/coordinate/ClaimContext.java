package dev.sluice.coordinate;

import org.jspecify.annotations.Nullable;

/**
 * What all claims of a group share.
 *
 * @param takeover decides where a dead owner's partition goes on; null: at the position in its claim
 */
record ClaimContext(
        CoordinationStore store,
        GroupKeys keys,
        Clockwork clockwork,
        SavePolicy policy,
        GroupJournal journal,
        @Nullable Takeover takeover) {}
