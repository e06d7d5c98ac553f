package dev.sluice.worker.partition;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Keys;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.Partition;
import dev.sluice.worker.partition.DirectoryHead.ChunkRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a directory: {@code <group>/partitions/head}, and the chunks it names below {@code
 * <group>/partitions/chunks/}. A writer stores its new chunks under names never used before, then the head by
 * compare-and-set, then deletes the chunks the head no longer names. A reader that finds a chunk gone reads the head again.
 */
final class DirectoryStore {
    private static final int READS = 20;

    private final CoordinationStore store;
    private final String prefix;
    /** Chunks read before, by name: a chunk never changes. */
    private volatile Map<String, List<Partition>> known = Map.of();
    /** As read last: workers look often, and the directory changes seldom. */
    private volatile @Nullable Stored latest;

    DirectoryStore(CoordinationStore store, String group) {
        this.store = store;
        this.prefix = Keys.checkPrefix(group + "/partitions/");
    }

    /** The directory at one moment. */
    record Stored(DirectoryHead head, long revision, PartitionMap map) {
        Partitions partitions() {
            return head.partitions(map);
        }
    }

    Optional<Stored> read() {
        String missing = "";
        for (int i = 0; i < READS; i++) {
            Optional<Entry> entry = store.get(head());
            if (entry.isEmpty()) {
                return Optional.empty();
            }
            DirectoryHead head = DirectoryHead.of(parsed(entry.get()));
            Stored before = latest;
            if (before != null
                    && before.revision() == entry.get().revision()
                    && before.head().equals(head)) {
                return Optional.of(before);
            }
            List<Partition> partitions = new ArrayList<>();
            missing = readChunks(head, partitions);
            if (missing.isEmpty()) {
                PartitionMap map = new PartitionMap(head.version(), partitions);
                Stored read = new Stored(head, entry.get().revision(), map);
                latest = read;
                return Optional.of(read);
            }
        }
        throw new InvalidInputException("key " + chunk(missing) + ", a part of the partition list, is missing"
                + " or was replaced " + READS + " times while it was read: put it back, or try again");
    }

    /** Returns the name of the first chunk that is gone; empty when all were read. */
    private String readChunks(DirectoryHead head, List<Partition> into) {
        Map<String, List<Partition>> before = known;
        Map<String, List<Partition>> now = new HashMap<>();
        for (ChunkRef ref : head.chunks()) {
            List<Partition> partitions = before.get(ref.name());
            if (partitions == null) {
                Optional<Entry> entry = store.get(chunk(ref.name()));
                if (entry.isEmpty()) {
                    return ref.name();
                }
                partitions = DirectoryChunk.of(parsed(entry.get()), into.size());
            }
            now.put(ref.name(), partitions);
            into.addAll(partitions);
        }
        known = now;
        return "";
    }

    /**
     * Replaces the directory.
     *
     * @param before as it was read; null: there is none yet
     * @return the new directory; empty when another writer was faster, and then nothing has changed
     */
    Optional<Stored> write(@Nullable Stored before, Partitions partitions, List<Partition> next) {
        long version = before == null ? 1 : before.head().version() + 1;
        List<ChunkRef> chunks = new ArrayList<>();
        Map<String, Long> written = new HashMap<>();
        for (Slice slice : slices(before, next)) {
            chunks.add(
                    slice.kept() == null
                            ? writeChunk(version, chunks.size(), slice.partitions(), written)
                            : slice.kept());
        }
        DirectoryHead head = DirectoryHead.of(version, partitions, chunks);
        long expected = before == null ? CoordinationStore.ABSENT : before.revision();
        var revision = store.put(head(), bytes(head.toDocument()), expected);
        if (revision.isEmpty()) {
            written.forEach((name, at) -> store.delete(chunk(name), at));
            return Optional.empty();
        }
        deleteUnnamed(before, head);
        return Optional.of(new Stored(head, revision.getAsLong(), new PartitionMap(version, next)));
    }

    /** A run of partitions, with the chunk that holds it already. */
    private record Slice(
            List<Partition> partitions, @Nullable ChunkRef kept) {}

    /** Chunks that stay as they are, keep their names; only the last one takes more partitions in. */
    private static List<Slice> slices(@Nullable Stored before, List<Partition> next) {
        List<Slice> slices = new ArrayList<>();
        int at = 0;
        List<ChunkRef> refs = before == null ? List.of() : before.head().chunks();
        for (int i = 0; before != null && i < refs.size(); i++) {
            ChunkRef ref = refs.get(i);
            boolean last = i == refs.size() - 1;
            List<Partition> now = next.subList(at, last ? next.size() : at + ref.size());
            List<Partition> was = before.map().all().subList(at, at + ref.size());
            if (now.equals(was)) {
                slices.add(new Slice(now, ref));
            } else if (last) {
                DirectoryChunk.cut(now).forEach(run -> slices.add(new Slice(run, null)));
            } else {
                slices.add(new Slice(now, null));
            }
            at += ref.size();
        }
        if (refs.isEmpty()) {
            DirectoryChunk.cut(next).forEach(run -> slices.add(new Slice(run, null)));
        }
        return slices;
    }

    private ChunkRef writeChunk(long version, int place, List<Partition> partitions, Map<String, Long> written) {
        byte[] value = bytes(DirectoryChunk.toDocument(partitions));
        while (true) {
            String name = version + "-" + place + "-"
                    + Long.toHexString(ThreadLocalRandom.current().nextLong());
            var revision = store.put(chunk(name), value, CoordinationStore.ABSENT);
            if (revision.isPresent()) {
                written.put(name, revision.getAsLong());
                return new ChunkRef(name, partitions.size());
            }
        }
    }

    private void deleteUnnamed(@Nullable Stored before, DirectoryHead head) {
        Set<ChunkRef> gone =
                new HashSet<>(before == null ? List.of() : before.head().chunks());
        gone.removeAll(head.chunks());
        for (ChunkRef ref : gone) {
            store.get(chunk(ref.name())).ifPresent(entry -> store.delete(entry.key(), entry.revision()));
        }
    }

    CoordinationStore.Watch watch(Runnable changed) {
        return store.watch(prefix, key -> changed.run());
    }

    private String head() {
        return prefix + "head";
    }

    private String chunk(String name) {
        return prefix + "chunks/" + name;
    }

    private static byte[] bytes(BsonDocument document) {
        return document.toJson().getBytes(UTF_8);
    }

    private static BsonDocument parsed(Entry entry) {
        try {
            return BsonDocument.parse(entry.text());
        } catch (JsonParseException | BsonInvalidOperationException e) {
            throw new InvalidInputException("the value of key " + entry.key() + " is not what Sluice writes there ("
                    + e.getMessage() + "): put back what was there");
        }
    }
}
