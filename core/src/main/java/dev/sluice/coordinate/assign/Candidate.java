package dev.sluice.coordinate.assign;

import dev.sluice.model.InvalidInputException;

/**
 * A member that may own partitions.
 *
 * @param weight its share compared with the others': a member of weight 2 is to own twice as many as one of weight 1
 */
public record Candidate(String id, int weight) {
    public static final int MAX_WEIGHT = 1_000;

    public Candidate {
        if (id.isEmpty()) {
            throw new InvalidInputException("a member needs an id; it has none");
        }
        if (weight < 1 || weight > MAX_WEIGHT) {
            throw new InvalidInputException(
                    "the weight of a member is 1 to " + MAX_WEIGHT + ", not " + weight + " as for " + id);
        }
    }

    public Candidate(String id) {
        this(id, 1);
    }
}
