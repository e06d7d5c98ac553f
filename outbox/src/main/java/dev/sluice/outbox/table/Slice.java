package dev.sluice.outbox.table;

import dev.sluice.model.InvalidInputException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The part of the rows that one claim owns: those whose partition id is {@code claim} modulo the number of claims. With
 * one claim it is all rows, also those without a partition id: the global lock.
 *
 * @param claims how many claims there are
 * @param total how many partitions the writers count, at least as many as claims. While their number changes some may count
 *     more; a fetch sees that, and takes their rows too
 */
public record Slice(int claim, int claims, int total) {
    public static final int MOST_PARTITIONS = 1_024;

    public Slice {
        if (claims < 1 || claim < 0 || claim >= claims) {
            throw new InvalidInputException("there is no claim " + claim + " of " + claims);
        }
        requirePartitions(total);
        if (total < claims) {
            throw new InvalidInputException(
                    "an outbox has at least as many partitions as claims, not " + total + " and " + claims);
        }
    }

    /** @throws InvalidInputException when an outbox cannot have so many */
    public static int requirePartitions(int total) {
        if (total < 1 || total > MOST_PARTITIONS) {
            throw new InvalidInputException("an outbox has 1 to " + MOST_PARTITIONS + " partitions, not " + total);
        }
        return total;
    }

    /** The global lock. */
    public static Slice all() {
        return new Slice(0, 1, 1);
    }

    public boolean isAll() {
        return claims == 1;
    }

    public boolean owns(String key) {
        return isAll() || KeyHash.partition(key, total) % claims == claim;
    }

    /** The partition ids of its rows, unless it is all. */
    List<Integer> partitionIds() {
        return IntStream.iterate(claim, id -> id < total, id -> id + claims)
                .boxed()
                .toList();
    }
}
