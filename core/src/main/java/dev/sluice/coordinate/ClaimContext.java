package dev.sluice.coordinate;

/** What all claims of a group share. */
record ClaimContext(
        CoordinationStore store, GroupKeys keys, Clockwork clockwork, SavePolicy policy, GroupJournal journal) {}
