package dev.sluice.worker.partition;

/**
 * A partition before it has an index.
 *
 * @param id for people and handlers
 * @param filter the subject, or the subjects ({@code orders.64.7.>}), of the partition
 */
public record PartitionSpec(String id, String filter) {}
