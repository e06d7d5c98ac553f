package dev.sluice.subscribe;

/**
 * Why one subscription of a batch was not registered. What had its id before stays.
 *
 * @param index its place in the batch, from 0
 * @param reason one sentence for whoever sent it
 */
public record Refusal(int index, String id, String reason, Cause cause) {
    /** Who can do something about it. */
    public enum Cause {
        /** The subscription is wrong: whoever wrote it. */
        INVALID,
        /** There are too many: whoever has some to remove, or sets the quotas. */
        QUOTA
    }
}
