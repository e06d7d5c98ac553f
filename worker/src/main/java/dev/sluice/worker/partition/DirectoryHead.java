package dev.sluice.worker.partition;

import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * The value that says which chunks hold the partitions of a group. All changes of a directory end with the compare-and-set
 * of this value.
 *
 * @param kind {@code list}, {@code pattern} or {@code hashed}
 * @param of the pattern, or the prefix of hashed partitions; empty for a list
 * @param slots the number of hashed partitions; else 0
 */
record DirectoryHead(long version, String kind, String of, int slots, List<ChunkRef> chunks) {
    private static final String LIST = "list";
    private static final String PATTERN = "pattern";
    private static final String HASHED = "hashed";

    /** A chunk by the last segment of its key, with the number of its partitions. */
    record ChunkRef(String name, int size) {}

    static DirectoryHead of(long version, Partitions partitions, List<ChunkRef> chunks) {
        return switch (partitions) {
            case SubjectList list -> new DirectoryHead(version, LIST, "", 0, chunks);
            case SubjectPattern pattern -> new DirectoryHead(version, PATTERN, pattern.pattern(), 0, chunks);
            case HashedSubjects hashed -> new DirectoryHead(version, HASHED, hashed.prefix(), hashed.n(), chunks);
        };
    }

    /** @param map holds the subjects of a list */
    Partitions partitions(PartitionMap map) {
        return switch (kind) {
            case LIST ->
                SubjectList.of(
                        map.open().stream().map(partition -> partition.filter()).toList());
            case PATTERN -> new SubjectPattern(of);
            case HASHED -> new HashedSubjects(of, slots);
            default ->
                throw new InvalidInputException("unknown kind of partitions \"" + kind
                        + "\" in the group: a newer version of Sluice wrote it; use that version");
        };
    }

    BsonDocument toDocument() {
        BsonArray names = new BsonArray();
        for (ChunkRef chunk : chunks) {
            names.add(
                    new BsonDocument("name", new BsonString(chunk.name())).append("size", new BsonInt32(chunk.size())));
        }
        return new BsonDocument("version", new BsonInt64(version))
                .append("kind", new BsonString(kind))
                .append("of", new BsonString(of))
                .append("slots", new BsonInt32(slots))
                .append("chunks", names);
    }

    static DirectoryHead of(BsonDocument document) {
        List<ChunkRef> chunks = new ArrayList<>();
        for (BsonValue value : document.getArray("chunks")) {
            BsonDocument chunk = value.asDocument();
            chunks.add(new ChunkRef(
                    chunk.getString("name").getValue(), chunk.getNumber("size").intValue()));
        }
        return new DirectoryHead(
                document.getNumber("version").longValue(),
                document.getString("kind").getValue(),
                document.getString("of").getValue(),
                document.getNumber("slots").intValue(),
                chunks);
    }
}
