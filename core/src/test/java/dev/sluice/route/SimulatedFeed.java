package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Partitioner;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.RawBson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** Logs of a few backends in memory, and readers that mix them as they like, as real ones do. */
final class SimulatedFeed implements EventFeed {
    final List<ChangeEvent> all = new ArrayList<>();
    final Map<EventId, Integer> numbers = new HashMap<>();
    private final Map<EventId, Integer> places = new HashMap<>();
    private final Random random;
    private final SimulatedTurns world;
    private final Map<String, List<ChangeEvent>> logs = new TreeMap<>();
    private final Map<String, Integer> evicted = new HashMap<>();
    private long time = 100;
    double failing;

    /** So many reads move on and then fail with an Error: what they read is lost with the reader. */
    int tornReads;

    /** Partitions whose events cannot be read. */
    final Set<Integer> unavailable = new HashSet<>();

    SimulatedFeed(Random random, SimulatedTurns world, int backends) {
        this.random = random;
        this.world = world;
        for (int k = 0; k < backends; k++) {
            logs.put("db" + k, new ArrayList<>());
            evicted.put("db" + k, 0);
            // A log always has a first event, or nobody could name its beginning.
            append("db" + k, Operation.DROP, "none", "", 0, false);
        }
    }

    /** A change of a document of ten; one in three shares its cluster time with the one before. */
    ChangeEvent change(String collection, int document, int group) {
        List<String> backends = List.copyOf(logs.keySet());
        // A document lives in one backend.
        String backend = backends.get(Math.floorMod(document, backends.size()));
        // Nobody keeps what a document was before it was deleted.
        Operation operation = random.nextInt(5) == 0 ? Operation.DELETE : Operation.REPLACE;
        return append(backend, operation, collection, "d" + document, group, random.nextInt(3) == 0);
    }

    ChangeEvent append(
            String backend, Operation operation, String collection, String document, int group, boolean sameTime) {
        List<ChangeEvent> log = log(backend);
        if (!sameTime || log.size() < 2) {
            time++;
        }
        long at = sameTime && log.size() >= 2 ? log.getLast().clusterTime().t() : time;
        EventId id = new EventId(ClusterTime.of(at, 1), random.nextLong() | 1);
        BsonDocument body = new BsonDocument("g", new BsonInt32(group)).append("n", new BsonInt32(all.size()));
        RawBson raw = operation.isData() && operation != Operation.DELETE ? RawBson.of(body) : null;
        return append(id, backend, operation, collection, document, raw);
    }

    /** An insert of this document, with a cluster time of its own. */
    ChangeEvent append(String backend, String collection, String document, RawBson body) {
        EventId id = new EventId(ClusterTime.of(++time, 1), random.nextLong() | 1);
        return append(id, backend, Operation.INSERT, collection, document, body);
    }

    private ChangeEvent append(
            EventId id,
            String backend,
            Operation operation,
            String collection,
            String document,
            @Nullable RawBson body) {
        List<ChangeEvent> log = log(backend);
        ChangeEvent event = new ChangeEvent(
                id,
                backend,
                operation,
                "",
                collection,
                operation.isData() ? new DocumentId(DocumentId.Kind.STRING, document) : DocumentId.NONE,
                body,
                null,
                world.now().toEpochMilli(),
                OptionalLong.empty(),
                false);
        places.put(id, log.size());
        log.add(event);
        numbers.put(id, all.size());
        all.add(event);
        return event;
    }

    private List<ChangeEvent> log(String backend) {
        return logs.getOrDefault(backend, new ArrayList<>());
    }

    /** Up to half of what is kept leaves, at a boundary of cluster times. */
    void evict(String backend, int keep) {
        List<ChangeEvent> log = log(backend);
        int to = Math.max(evictedOf(backend), log.size() - keep);
        while (to > 0
                && to < log.size()
                && log.get(to).clusterTime().equals(log.get(to - 1).clusterTime())) {
            to--;
        }
        evicted.put(backend, Math.max(to, evictedOf(backend)));
    }

    private int evictedOf(String backend) {
        return evicted.getOrDefault(backend, 0);
    }

    boolean isEvicted(ChangeEvent event) {
        return place(event) < evictedOf(event.backend());
    }

    /** Its index in its backend's log. */
    int place(ChangeEvent event) {
        return places.getOrDefault(event.id(), -1);
    }

    ProgressMarker end() {
        Map<String, EventId> ends = new HashMap<>();
        logs.forEach((backend, log) -> ends.put(backend, log.getLast().id()));
        return new ProgressMarker(ends);
    }

    ProgressMarker oldest() {
        Map<String, EventId> oldest = new HashMap<>();
        logs.forEach((backend, log) ->
                oldest.put(backend, log.get(Math.max(0, evictedOf(backend) - 1)).id()));
        return new ProgressMarker(oldest);
    }

    /** How many events of the backend are at or before a position. */
    int index(String backend, @Nullable EventId id) {
        List<ChangeEvent> log = log(backend);
        if (id == null) {
            return evictedOf(backend);
        }
        if (id.hash() != 0) {
            return places.getOrDefault(id, log.size() - 1) + 1;
        }
        int k = log.size();
        while (k > 0 && log.get(k - 1).clusterTime().compareTo(id.time()) >= 0) {
            k--;
        }
        return k;
    }

    /** How many are open, and how many ever were at once. */
    int readers;

    int mostReaders;

    @Override
    public Reader open(String label, @Nullable ProgressMarker after, int partition, int partitions) {
        Map<String, Integer> cursors = new TreeMap<>();
        logs.forEach((backend, log) -> cursors.put(
                backend,
                after == null
                        ? log.size()
                        : index(backend, after.position(backend).orElse(null))));
        readers++;
        mostReaders = Math.max(mostReaders, readers);
        return new SimulatedReader(cursors, partition, new Partitioner(partitions));
    }

    private final class SimulatedReader implements Reader {
        private boolean closed;
        private final Map<String, Integer> cursors;
        private final int partition;
        private final Partitioner partitioner;

        SimulatedReader(Map<String, Integer> cursors, int partition, Partitioner partitioner) {
            this.cursors = cursors;
            this.partition = partition;
            this.partitioner = partitioner;
        }

        @Override
        public Batch read(int maxEvents, Duration wait) {
            if (random.nextDouble() < failing || unavailable.contains(partition)) {
                throw new FeedUnavailableException("the simulated Puller is away", new IllegalStateException());
            }
            cursors.forEach((backend, at) -> {
                if (at < evictedOf(backend)) {
                    throw new FeedOutOfRangeException("evicted", oldest());
                }
            });
            List<FeedEvent> events = new ArrayList<>();
            int most = 1 + random.nextInt(Math.min(maxEvents, 12));
            List<String> backends = new ArrayList<>(cursors.keySet());
            while (events.size() < most) {
                backends.removeIf(backend ->
                        cursors.getOrDefault(backend, 0) >= log(backend).size());
                if (backends.isEmpty()) {
                    break;
                }
                String backend = backends.get(random.nextInt(backends.size()));
                ChangeEvent event = log(backend).get(cursors.merge(backend, 1, Integer::sum) - 1);
                if (event.operation().isControl() || event.partition(partitioner) == partition) {
                    events.add(new FeedEvent(event, null));
                }
            }
            if (events.isEmpty() && wait.isPositive()) {
                world.idle(Duration.ofMillis(20));
            }
            if (tornReads > 0 && !events.isEmpty()) {
                tornReads--;
                throw new OutOfMemoryError("for a moment");
            }
            Map<String, EventId> passed = new HashMap<>();
            cursors.forEach((backend, at) ->
                    passed.put(backend, log(backend).get(Math.max(0, at - 1)).id()));
            return new Batch(events, new ProgressMarker(passed), world.now().toEpochMilli());
        }

        @Override
        public void close() {
            readers -= closed ? 0 : 1;
            closed = true;
        }
    }
}
