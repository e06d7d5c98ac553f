package dev.sluice.server.streamer;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.coordinate.CheckpointBackup;
import dev.sluice.coordinate.PartitionCheckpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.FencingToken;
import dev.sluice.model.RawBson;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;

/**
 * A group's positions as a mirror keeps them: one checkpoint for each partition, under a name of its generation, so that a
 * change of their number is never half there. The position is opaque, as it is to the group.
 */
final class MirroredPositions {
    private final CheckpointStore store;
    private final String folder;
    private final InstantSource clock;

    /** @param group as in {@link dev.sluice.coordinate.GroupSettings#group()} */
    MirroredPositions(CheckpointStore store, String group, InstantSource clock) {
        this.store = store;
        this.folder = group.replaceAll("[^A-Za-z0-9_.-]", ".").replaceFirst("^[.-]", "_") + '@';
        this.clock = clock;
    }

    /** @param partitions how many there are in its generation */
    void save(PartitionCheckpoint saved, int partitions) {
        var position = new BsonDocument(
                        "generation", new BsonInt64(saved.token().generation()))
                .append("epoch", new BsonInt64(saved.token().epoch()))
                .append("partition", new BsonInt32(saved.partition()))
                .append("partitions", new BsonInt32(partitions))
                .append("position", new BsonString(saved.position()));
        var now = ClusterTime.of(clock.instant().getEpochSecond(), 0);
        store.save(name(saved), new Checkpoint(RawBson.of(position), now));
    }

    private String name(PartitionCheckpoint saved) {
        return folder + saved.token().generation() + '.' + saved.partition();
    }

    /**
     * Forgets generations before this one, if all of it is kept: until then those before say where the missing ones begin.
     *
     * @return whether it is
     */
    boolean forgetBefore(long generation) {
        var kept = kept();
        var newest = of(generation, kept);
        var complete = !newest.isEmpty() && newest.size() >= newest.getFirst().partitions;
        if (complete) {
            kept.stream()
                    .map(Kept::checkpoint)
                    .filter(each -> each.token().generation() < generation)
                    .forEach(each -> store.delete(name(each)));
        }
        return complete;
    }

    private static List<Kept> of(long generation, List<Kept> kept) {
        return kept.stream()
                .filter(each -> each.checkpoint.token().generation() == generation)
                .toList();
    }

    /**
     * All partitions of the newest generation there is; empty when nothing was ever mirrored. One that is missing begins at
     * the lowest position of all that are kept.
     *
     * @param lower of two positions
     * @throws CheckpointException when the mirror cannot say
     */
    Optional<CheckpointBackup> read(String group, BinaryOperator<String> lower) {
        var kept = kept();
        if (kept.isEmpty()) {
            return Optional.empty();
        }
        var generation = kept.stream()
                .mapToLong(each -> each.checkpoint.token().generation())
                .max()
                .orElseThrow();
        var newest = of(generation, kept);
        var lowest = kept.stream()
                .map(each -> each.checkpoint.position())
                .filter(position -> !position.isEmpty())
                .reduce(lower)
                .orElse("");
        var all = new ArrayList<PartitionCheckpoint>();
        for (var partition = 0; partition < newest.getFirst().partitions; partition++) {
            all.add(of(partition, newest)
                    .orElse(new PartitionCheckpoint(partition, new FencingToken(generation, 0), lowest, "")));
        }
        return Optional.of(new CheckpointBackup(group, generation, all));
    }

    private static Optional<PartitionCheckpoint> of(int partition, List<Kept> newest) {
        return newest.stream()
                .map(Kept::checkpoint)
                .filter(each -> each.partition() == partition)
                .findFirst();
    }

    private record Kept(PartitionCheckpoint checkpoint, int partitions) {}

    private List<Kept> kept() {
        return store.list().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(folder))
                .map(entry -> read(entry.getKey(), entry.getValue().token().view()))
                .toList();
    }

    private static Kept read(String name, BsonDocument document) {
        try {
            var token = new FencingToken(
                    document.getNumber("generation").longValue(),
                    document.getNumber("epoch").longValue());
            var position = document.getString("position").getValue();
            var partition = document.getNumber("partition").intValue();
            return new Kept(
                    new PartitionCheckpoint(partition, token, position, ""),
                    document.getNumber("partitions").intValue());
        } catch (BsonInvalidOperationException damaged) {
            throw new CheckpointException(
                    "The mirrored checkpoint " + name + " is no position of a Streamer: restore it, or delete it.",
                    damaged);
        }
    }
}
