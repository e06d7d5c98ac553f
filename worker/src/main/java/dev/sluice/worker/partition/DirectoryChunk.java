package dev.sluice.worker.partition;

import dev.sluice.worker.Partition;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/** A run of partitions as one stored value. A chunk is never changed: a change writes another one under a new name. */
final class DirectoryChunk {
    /** Well below the store's limit: closing all partitions of a chunk may double it. */
    static final int TARGET_BYTES = 180 * 1024;

    private static final int BYTES_PER_PARTITION = 40;

    private DirectoryChunk() {}

    /** Cuts partitions into runs of about {@link #TARGET_BYTES}. */
    static List<List<Partition>> cut(List<Partition> partitions) {
        List<List<Partition>> runs = new ArrayList<>();
        int begin = 0;
        int bytes = 0;
        for (int i = 0; i < partitions.size(); i++) {
            Partition partition = partitions.get(i);
            int size = BYTES_PER_PARTITION
                    + 3 * (partition.filter().length() + partition.id().length());
            if (bytes + size > TARGET_BYTES && i > begin) {
                runs.add(partitions.subList(begin, i));
                begin = i;
                bytes = 0;
            }
            bytes += size;
        }
        if (begin < partitions.size()) {
            runs.add(partitions.subList(begin, partitions.size()));
        }
        return runs;
    }

    static BsonDocument toDocument(List<Partition> partitions) {
        BsonArray entries = new BsonArray();
        for (Partition partition : partitions) {
            BsonDocument entry = new BsonDocument("filter", new BsonString(partition.filter()))
                    .append("id", new BsonString(partition.id()));
            entries.add(partition.closed() ? entry.append("closedAt", new BsonInt64(partition.lastSequence())) : entry);
        }
        return new BsonDocument("partitions", entries);
    }

    /** @param first the index of its first partition */
    static List<Partition> of(BsonDocument document, int first) {
        List<Partition> partitions = new ArrayList<>();
        for (BsonValue value : document.getArray("partitions")) {
            BsonDocument entry = value.asDocument();
            boolean closed = entry.containsKey("closedAt");
            partitions.add(new Partition(
                    first + partitions.size(),
                    entry.getString("id").getValue(),
                    entry.getString("filter").getValue(),
                    closed,
                    closed ? entry.getNumber("closedAt").longValue() : 0));
        }
        return partitions;
    }
}
