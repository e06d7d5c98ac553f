package dev.sluice.worker;

/**
 * One partition of a stream.
 *
 * @param index its number in the group: never given to another partition
 * @param id for people and handlers: the variable tokens of its subject, the subject itself, or its hash slot
 * @param filter the subject, or the subjects ({@code orders.64.7.>}), that belong to it and to no other partition
 * @param closed no longer part of the configuration: handled up to {@code lastSequence}, then left alone
 * @param lastSequence of a closed partition: its last message; else 0
 */
public record Partition(int index, String id, String filter, boolean closed, long lastSequence) {
    public static Partition open(int index, String id, String filter) {
        return new Partition(index, id, filter, false, 0);
    }
}
