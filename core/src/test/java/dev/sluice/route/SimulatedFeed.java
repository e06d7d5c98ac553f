package dev.sluice.route;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.FeedOutOfRangeException;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogChangedException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.StreamId;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Partitioner;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** Logs of a few backends in memory. */
final class SimulatedFeed implements EventFeed {
    final List<ChangeEvent> all = new ArrayList<>();
    final Map<EventId, Integer> numbers = new HashMap<>();
    private final Map<EventId, Integer> places = new HashMap<>();
    private final Map<EventId, Integer> groups = new HashMap<>();
    private final Random random;
    private final SimulatedTurns world;
    private final Map<String, List<ChangeEvent>> logs = new TreeMap<>();
    private final Map<String, Integer> evicted = new HashMap<>();
    private final Map<EventId, Position> positions = new HashMap<>();
    private final Map<String, Long> identities = new HashMap<>();
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private long time = 100;
    double failing;

    /** Logs that cannot be read. */
    final Set<String> unreadable = new LinkedHashSet<>();

    /** Runs before each call of the feed or of a reader. */
    Runnable beforeCall = () -> {};

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
            identities.put("db" + k, 7L + k);
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
        int ordinal = 1;
        for (int k = log.size() - 1; k >= 0 && log.get(k).clusterTime().equals(id.time()); k--) {
            ordinal++;
        }
        positions.put(id, new Position(id, ordinal));
        places.put(id, log.size());
        groups.put(
                id,
                body == null || !body.view().isInt32("g")
                        ? -1
                        : body.view().getInt32("g").getValue());
        log.add(event);
        numbers.put(id, all.size());
        all.add(event);
        List.copyOf(waiting).forEach(Runnable::run);
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

    /** The value that filters ask for; -1: its document is not known. */
    int group(ChangeEvent event) {
        return groups.getOrDefault(event.id(), -1);
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

    boolean hasEventsOfOneTime() {
        return logs.values().stream()
                .anyMatch(log ->
                        log.stream().map(ChangeEvent::clusterTime).distinct().count() < log.size());
    }

    /** How many are open, and how many ever were at once. */
    int readers;

    int mostReaders;

    /** How many events were read in all. */
    long read;

    Position position(ChangeEvent event) {
        return positions.getOrDefault(event.id(), Position.START);
    }

    /** The positions that a node that hears late has heard of; null: all there is. */
    @Nullable
    Places heardLate;

    /** Readers whose label begins with this word get nothing for now. */
    String heldReaders = "none";

    /** The highest positions, as a node hears of them. */
    Places heard() {
        Places late = heardLate;
        if (late != null) {
            return late;
        }
        TreeMap<String, Places.Place> heard = new TreeMap<>();
        heads().forEach((log, head) -> heard.put(log, new Places.Place(head.identity(), head.head())));
        return new Places(heard);
    }

    /** Another Puller is read from now on: it has the same events. */
    void changePuller() {
        identities.replaceAll((log, identity) -> identity + 100);
    }

    @Override
    public Map<String, LogHead> heads() {
        Map<String, LogHead> heads = new TreeMap<>();
        logs.forEach((log, events) -> heads.put(
                log,
                new LogHead(
                        identities.getOrDefault(log, 1L),
                        position(events.getLast()),
                        position(events.get(Math.max(0, evictedOf(log) - 1))))));
        return heads;
    }

    /** The place of an id, as a feed resolves it. */
    Position resolve(EventId id) {
        Position known = positions.get(id);
        return known == null ? Position.before(id.time()) : known;
    }

    @Override
    public List<Position> resolve(String log, long identity, List<EventId> ids) {
        beforeCall.run();
        requireIdentity(log, identity);
        return ids.stream().map(this::resolve).toList();
    }

    private void requireIdentity(String log, long identity) {
        if (identities.getOrDefault(log, 1L) != identity) {
            throw new LogChangedException("another simulated Puller");
        }
    }

    @Override
    public Reader open(String label, StreamId stream, long identity, Position after, Runnable more) {
        beforeCall.run();
        readers++;
        mostReaders = Math.max(mostReaders, readers);
        waiting.add(more);
        int at = 0;
        List<ChangeEvent> log = log(stream.log());
        while (at < log.size() && position(log.get(at)).compareTo(after) <= 0) {
            at++;
        }
        return new SimulatedReader(label, stream, identity, after, at);
    }

    private final class SimulatedReader implements Reader {
        private final String label;
        private final StreamId stream;
        private final long identity;
        private final Partitioner partitioner;
        private Position passed;
        private int at;
        private boolean closed;

        SimulatedReader(String label, StreamId stream, long identity, Position after, int at) {
            this.label = label;
            this.stream = stream;
            this.identity = identity;
            this.partitioner = new Partitioner(stream.partitions());
            this.passed = after;
            this.at = at;
        }

        @Override
        public Batch read(int maxEvents, long maxBytes) {
            beforeCall.run();
            if (closed) {
                throw new IllegalStateException("this reader is closed");
            }
            if (random.nextDouble() < failing
                    || unavailable.contains(stream.partition())
                    || unreadable.contains(stream.log())) {
                throw new FeedUnavailableException("the simulated Puller is away");
            }
            requireIdentity(stream.log(), identity);
            List<ChangeEvent> log = log(stream.log());
            if (at < evictedOf(stream.log())) {
                throw new FeedOutOfRangeException("evicted", position(log.get(evictedOf(stream.log()) - 1)));
            }
            List<FeedEvent> events = new ArrayList<>();
            int most = 1 + random.nextInt(Math.min(maxEvents, 12));
            while (events.size() < most && at < log.size() && !label.startsWith(heldReaders)) {
                ChangeEvent event = log.get(at++);
                passed = Position.higher(passed, position(event));
                if (event.operation().isControl() || event.partition(partitioner) == stream.partition()) {
                    events.add(new FeedEvent(event, position(event), null));
                }
            }
            read += events.size();
            if (tornReads > 0 && !events.isEmpty()) {
                tornReads--;
                throw new OutOfMemoryError("for a moment");
            }
            Position head = Position.higher(passed, position(log.getLast()));
            return new Batch(events, passed, head, world.now().toEpochMilli());
        }

        @Override
        public void close() {
            readers -= closed ? 0 : 1;
            closed = true;
        }
    }
}
