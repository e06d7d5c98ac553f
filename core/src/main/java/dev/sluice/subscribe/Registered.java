package dev.sluice.subscribe;

import java.util.List;

/**
 * What became of a batch.
 *
 * @param accepted how many were registered, or were there already just so
 * @param refusals the others, in the order of the batch
 */
public record Registered(int accepted, List<Refusal> refusals) {
    public Registered {
        refusals = List.copyOf(refusals);
    }
}
