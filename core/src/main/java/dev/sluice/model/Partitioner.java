package dev.sluice.model;

/**
 * Which partition a document belongs to: {@code fnv1a64(collection + "/" + document id) mod partitions}, the hash
 * taken as unsigned. The document id is the text consumers see, so anyone can compute it; the shard key is not part
 * of it, so sharding a collection moves nothing.
 */
public record Partitioner(int partitions) {
    public Partitioner {
        if (partitions < 1) {
            throw new InvalidInputException("the number of partitions must be at least 1, not " + partitions);
        }
    }

    public int partitionOf(String collection, String documentId) {
        if (partitions == 1) {
            return 0;
        }
        long hash = Fnv1a64.add(Fnv1a64.START, collection);
        hash = Fnv1a64.add(hash, '/');
        hash = Fnv1a64.add(hash, documentId);
        return (int) Long.remainderUnsigned(hash, partitions);
    }
}
