package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * How many partitions there are, with a generation that grows with every change of that number. While a change is under
 * way nobody may own anything: the old partitions are drained and closed first, then the new ones start, all at the lowest
 * position of the old.
 *
 * @param start where partitions of this generation begin (while draining: where those of the one before began)
 * @param oldPartitions while draining: how many there were; else 0
 */
record Layout(long generation, int partitions, String start, int oldPartitions) {
    static final int MAX_PARTITIONS = 100_000;

    Layout {
        if (partitions < 1 || partitions > MAX_PARTITIONS) {
            throw new InvalidInputException(
                    "the number of partitions is 1 to " + MAX_PARTITIONS + ", not " + partitions);
        }
    }

    static Layout first(int partitions) {
        return new Layout(1, partitions, "", 0);
    }

    boolean isDraining() {
        return oldPartitions > 0;
    }

    Layout drainTo(int newPartitions) {
        return new Layout(generation + 1, newPartitions, start, partitions);
    }

    /** So many, by a change of its own or by the end of the one that is under way; itself when it is so already. */
    Layout changedTo(int newPartitions) {
        if (newPartitions == partitions) {
            return this;
        }
        return isDraining() ? new Layout(generation, newPartitions, start, oldPartitions) : drainTo(newPartitions);
    }

    Layout open(String newStart) {
        return new Layout(generation, partitions, newStart, 0);
    }

    byte[] toBytes() {
        BsonDocument document = new BsonDocument("generation", new BsonInt64(generation))
                .append("partitions", new BsonInt32(partitions))
                .append("start", new BsonString(start))
                .append("draining", BsonBoolean.valueOf(isDraining()));
        return StoredJson.bytes(
                isDraining() ? document.append("oldPartitions", new BsonInt32(oldPartitions)) : document);
    }

    static Layout of(Entry entry) {
        return StoredJson.read(
                entry,
                document -> new Layout(
                        document.getNumber("generation").longValue(),
                        document.getNumber("partitions").intValue(),
                        document.getString("start").getValue(),
                        document.containsKey("oldPartitions")
                                ? document.getNumber("oldPartitions").intValue()
                                : 0));
    }
}
