package dev.sluice.subscribe;

import dev.sluice.model.Places;
import java.util.List;
import java.util.Optional;

/**
 * What became of a batch.
 *
 * @param accepted how many were registered, or were there already just so
 * @param refusals the others, in the order of the batch
 * @param revision the highest of the accepted; of the registry when there are none
 * @param start the lowest place at which one of the accepted starts; empty when there are none
 */
public record Registered(int accepted, List<Refusal> refusals, long revision, Optional<Places> start) {
    public Registered {
        refusals = List.copyOf(refusals);
    }
}
