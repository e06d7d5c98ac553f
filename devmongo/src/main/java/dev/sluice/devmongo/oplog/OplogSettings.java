package dev.sluice.devmongo.oplog;

import java.time.InstantSource;

/** How an oplog keeps time and history, and which newer fields its events carry. */
public record OplogSettings(InstantSource clock, OplogLimit limit, boolean wallTime, boolean truncatedArrays) {}
