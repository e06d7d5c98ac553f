package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * How many partitions there are. The number changes in one of two ways. By draining, where what belongs to a partition
 * depends on how many there are: the generation grows, nobody may own anything until the old partitions are drained and
 * closed, and the new ones all start at the lowest position of the old. Or by growing in place, where a partition is a thing
 * of its own: the generation stays, the partitions there are stay with their owners, and the new ones start without a
 * position, because nobody has ever worked on them.
 *
 * @param start where partitions of this generation begin (while draining: where those of the one before began)
 * @param oldPartitions while draining: how many there were; else 0
 * @param grownFrom the number of partitions before the generation of {@code start} first grew in place, and 0 when it did
 *     not: those from here on do not begin at {@code start}
 */
record Layout(long generation, int partitions, String start, int oldPartitions, int grownFrom) {
    static final int MAX_PARTITIONS = 100_000;
    private static final int NEVER = 0;

    Layout {
        if (partitions < 1 || partitions > MAX_PARTITIONS) {
            throw new InvalidInputException(
                    "the number of partitions is 1 to " + MAX_PARTITIONS + ", not " + partitions);
        }
    }

    static Layout first(int partitions) {
        return open(1, partitions, "");
    }

    static Layout open(long generation, int partitions, String start) {
        return new Layout(generation, partitions, start, 0, NEVER);
    }

    /** Of the claims that count: while draining, those of the generation before still do. */
    long claimedGeneration() {
        return isDraining() ? generation - 1 : generation;
    }

    /** Where a partition begins that nobody has claimed yet; empty: without a position. */
    String startOf(int partition) {
        int begun = isDraining() ? oldPartitions : partitions;
        return partition < (grownFrom == NEVER ? begun : grownFrom) ? start : "";
    }

    /** With at least so many partitions; itself when it has them. */
    Layout grownTo(int newPartitions) {
        return newPartitions <= partitions
                ? this
                : new Layout(
                        generation, newPartitions, start, oldPartitions, grownFrom == NEVER ? partitions : grownFrom);
    }

    boolean isDraining() {
        return oldPartitions > 0;
    }

    Layout drainTo(int newPartitions) {
        return new Layout(generation + 1, newPartitions, start, partitions, grownFrom);
    }

    /** So many, by a change of its own or by the end of the one that is under way; itself when it is so already. */
    Layout changedTo(int newPartitions) {
        if (newPartitions == partitions) {
            return this;
        }
        return isDraining()
                ? new Layout(generation, newPartitions, start, oldPartitions, grownFrom)
                : drainTo(newPartitions);
    }

    Layout open(String newStart) {
        return open(generation, partitions, newStart);
    }

    byte[] toBytes() {
        BsonDocument document = new BsonDocument("generation", new BsonInt64(generation))
                .append("partitions", new BsonInt32(partitions))
                .append("start", new BsonString(start))
                .append("draining", BsonBoolean.valueOf(isDraining()));
        if (isDraining()) {
            document.append("oldPartitions", new BsonInt32(oldPartitions));
        }
        if (grownFrom != NEVER) {
            document.append("grownFrom", new BsonInt32(grownFrom));
        }
        return StoredJson.bytes(document);
    }

    static Layout of(Entry entry) {
        return StoredJson.read(
                entry,
                document -> new Layout(
                        document.getNumber("generation").longValue(),
                        document.getNumber("partitions").intValue(),
                        document.getString("start").getValue(),
                        document.getNumber("oldPartitions", new BsonInt32(0)).intValue(),
                        document.getNumber("grownFrom", new BsonInt32(NEVER)).intValue()));
    }
}
