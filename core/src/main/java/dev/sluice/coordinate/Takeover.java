package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;

/**
 * Decides the position at which a partition goes on after its owner died. For users that keep newer positions outside of
 * the claims, such as one value with the cursors of all partitions of a member. A position that the owner released
 * in good order is final: nobody is asked.
 */
@FunctionalInterface
public interface Takeover {
    /**
     * Returns the position to take the claim with. Called on a thread of the partition, after the claim was read and its
     * owner was known to be dead, and before the compare-and-set that takes it: what the dead owner writes to the claim
     * later makes that one fail, and this method is called again. It may be called several times for one death: when
     * another member is faster, or when the answer to the compare-and-set is lost; the claim then names this member's own
     * incarnation and already has the position that was returned before. A member also asks for a claim of its own that it
     * gives back after a failure. It may read the store, and must return soon.
     *
     * @param owner the id of the member that the claim names
     * @param incarnation the life of that member that the claim names
     * @param token of the claim that is taken over
     * @param claimed the position in the claim; empty when none was ever saved
     * @return at most {@link Claim#LONGEST_POSITION} characters
     * @throws StoreUnavailableException when the position cannot be read now: nothing is taken, and a later attempt asks
     *     again. Whatever else is thrown is logged, and has the same effect
     */
    String position(int partition, String owner, String incarnation, FencingToken token, String claimed);
}
