package dev.sluice.model;

/**
 * Proof of ownership that only ever grows: a write that carries a lower token than one already seen comes from an
 * owner that has been replaced, and is refused.
 *
 * @param generation grows when the number of partitions changes; orders before the epoch
 * @param epoch grows with every claim of the partition and with every restart of its owner
 */
public record FencingToken(long generation, long epoch) implements Comparable<FencingToken> {
    public FencingToken {
        if (generation < 0 || epoch < 0) {
            throw new InvalidInputException(
                    "a fencing token counts from 0 upwards, not generation " + generation + ", epoch " + epoch);
        }
    }

    public FencingToken nextEpoch() {
        return new FencingToken(generation, Math.addExact(epoch, 1));
    }

    /** The first token after the number of partitions changed; above every token of the old generation. */
    public FencingToken nextGeneration() {
        return new FencingToken(Math.addExact(generation, 1), 0);
    }

    public boolean isOlderThan(FencingToken other) {
        return compareTo(other) < 0;
    }

    @Override
    public int compareTo(FencingToken other) {
        int byGeneration = Long.compare(generation, other.generation);
        return byGeneration != 0 ? byGeneration : Long.compare(epoch, other.epoch);
    }

    @Override
    public String toString() {
        return Long.toString(generation) + '.' + epoch;
    }
}
