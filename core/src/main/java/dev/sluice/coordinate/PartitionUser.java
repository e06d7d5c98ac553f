package dev.sluice.coordinate;

/**
 * What works on partitions: told which are its own. Each call comes on a thread of its own, so that a slow one holds up
 * neither heartbeats nor other partitions. For one claim {@code assigned} and then {@code revoking} come one after the
 * other; {@code lost} may come at any time after {@code assigned} has returned, also while {@code revoking} is running.
 * An {@code assigned} that takes long looks at {@link Claim#isHeld()}.
 */
public interface PartitionUser {
    /**
     * This member owns the partition now: start at {@link Claim#position()}, put {@link Claim#token()} on every write,
     * report positions through the claim. Return soon. If it throws, the claim is given back and taken again later.
     */
    void assigned(Claim claim);

    /**
     * Another member is to have the partition. Stop taking in, wait for what is under way, report the last position, then
     * return: the claim is released there. Until then it is held. Bounded by the handoff timeout: after it, the claim is
     * released with the last position reported.
     */
    void revoking(Claim claim);

    /** The claim is gone, there is nothing left to save: stop at once. */
    void lost(Claim claim);
}
