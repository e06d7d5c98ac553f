package dev.sluice.log;

import dev.sluice.model.ClusterTime;

/**
 * A stretch of the log between two cluster-time boundaries, with exact counts. Segments follow each other without
 * overlap, oldest first; they are what the log is measured and evicted by.
 *
 * @param bytes of records and keys; files take about as much, plus write buffers
 */
public record Segment(ClusterTime first, ClusterTime last, long events, long bytes) {}
