package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Passed;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A client that is cut off and comes back with whatever id it last read, by random schedules: it misses nothing. */
class ResumePointPropertiesTest {
    private static final List<String> LOGS = List.of("shop", "stock");

    @Property(tries = 3000)
    void aResumePointNeverLiesBehindAnEventThatIsOwedAndNothingIsLost(@ForAll long seed) {
        World world = new World(new Random(seed));
        for (int step = 0; step < 150; step++) {
            world.step();
        }
        world.drain();
        assertThat(world.client.got).containsAll(world.owed());
    }

    /** A Streamer whose partitions read the logs, a gateway with one end user, and other users whom only markers show. */
    private static final class World {
        private final Random random;
        private final PassedPartitions passed = new PassedPartitions();
        private final Fence fence = new Fence();
        private final Map<String, List<EventId>> logs = new HashMap<>();
        private final Map<String, Integer> begun = new HashMap<>();
        private final Client client = new Client();
        private long generation = 1;
        private int partitions;
        private long time = 10;
        private long revision = 5;
        private Served served;

        World(Random random) {
            this.random = random;
            this.partitions = 1 + random.nextInt(4);
            LOGS.forEach(log -> logs.put(log, new ArrayList<>()));
            for (int k = 0; k < 10; k++) {
                commit();
            }
            logs.forEach((log, events) -> begun.put(log, events.size()));
            served = new Served("");
            client.lastId = served.start.encode();
        }

        void step() {
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4 -> commit();
                case 5, 6, 7, 8, 9 -> served.deliver(random.nextInt(partitions), log());
                case 10, 11, 12, 13 -> served.tellPassed(random.nextInt(partitions));
                case 14 -> served.apply(random.nextInt(partitions));
                case 15 -> served.answer();
                case 16 -> served.putBack(random.nextInt(partitions), log());
                case 17 -> served.retryLetter(log());
                case 18 -> client.readIdle(served.held);
                default -> disturb();
            }
            client.read(random.nextInt(3));
            check();
        }

        private void disturb() {
            switch (random.nextInt(4)) {
                case 3 -> served.endAndBeRegisteredAgain();
                case 0, 1 -> {
                    client.cut();
                    served = new Served(client.lastId);
                }
                default -> {
                    generation++;
                    partitions = 1 + random.nextInt(20);
                    served.resized();
                }
            }
        }

        void drain() {
            for (int turn = 0; turn < 2; turn++) {
                served.answer();
                for (int p = 0; p < partitions; p++) {
                    served.apply(p);
                    for (String log : LOGS) {
                        while (served.deliver(p, log)) {
                            client.read(1);
                        }
                    }
                    served.tellPassed(p);
                }
                client.read(Integer.MAX_VALUE);
                client.readIdle(served.held);
                check();
                client.cut();
                served = new Served(client.lastId);
            }
        }

        private String log() {
            return LOGS.get(random.nextInt(LOGS.size()));
        }

        /** Events of a transaction share their time. */
        private void commit() {
            time += random.nextInt(3) == 0 ? 0 : 1;
            List<EventId> log = logs.get(log());
            log.add(new EventId(new ClusterTime(time), random.nextLong()));
        }

        private int partitionOf(EventId event) {
            return (int) Long.remainderUnsigned(event.hash(), partitions);
        }

        Set<EventId> owed() {
            Set<EventId> owed = new HashSet<>();
            logs.forEach((log, events) -> owed.addAll(events.subList(begun.get(log), events.size())));
            return owed;
        }

        /** Invariant 7. */
        private void check() {
            ResumeId id = ResumeId.parse(client.lastId);
            Exceptions had = id.exceptions();
            for (String log : LOGS) {
                List<EventId> events = logs.get(log);
                int behind = position(id.marker().orElseThrow(), log);
                for (int k = begun.get(log); k < events.size(); k++) {
                    EventId event = events.get(k);
                    boolean covered = k < behind || had.cover(generation, partitionOf(event), log, event.time());
                    assertThat(!covered || client.got.contains(event))
                            .as("event %d of %s, resuming from %s", k, log, client.lastId)
                            .isTrue();
                }
            }
        }

        /** An id that is not in the log stands for a place before its time. */
        private int position(ProgressMarker marker, String log) {
            Optional<EventId> at = marker.position(log);
            List<EventId> events = logs.get(log);
            if (at.isEmpty()) {
                return 0;
            }
            int found = events.indexOf(at.get());
            if (found >= 0) {
                return found + 1;
            }
            int before = 0;
            while (before < events.size()
                    && events.get(before).time().compareTo(at.get().time()) < 0) {
                before++;
            }
            return before;
        }

        private ProgressMarker marker(Map<String, Integer> places) {
            Map<String, EventId> positions = new HashMap<>();
            places.forEach((log, place) -> positions.put(
                    log,
                    place == 0
                            ? new EventId(new ClusterTime(0), 0)
                            : logs.get(log).get(place - 1)));
            return new ProgressMarker(positions);
        }

        /** The client's subscription of one connection. */
        private final class Served {
            private final String name = "s" + ++revision;
            private long mine = revision;
            private ProgressMarker start;
            private final HeldSubscription held;
            private final long asked = passed.generation();
            private final Set<Integer> applied = new HashSet<>();
            private final Map<String, Integer> cursors = new HashMap<>();
            private final Map<String, Integer> given = new HashMap<>();
            private boolean answered;
            private long seq;

            Served(String resumeId) {
                ResumeId after = ResumeId.parse(resumeId);
                Map<String, Integer> heads = new HashMap<>();
                logs.forEach((log, events) -> heads.put(log, events.size()));
                start = after.marker().orElse(marker(heads));
                held = new HeldSubscription(
                        Subscription.of(name, "g", "acme", "orders", "{}").startingAt(after.marker()),
                        event -> client.queue.add(event),
                        new Repeats(4),
                        System::nanoTime,
                        passed,
                        after.exceptions());
                for (int p = 0; p < partitions; p++) {
                    begin(p);
                }
            }

            private void begin(int partition) {
                LOGS.forEach(log -> cursors.put(partition + log, position(start, log)));
            }

            void answer() {
                if (!answered) {
                    held.answered(start.encode(), mine, asked);
                    answered = true;
                } else {
                    held.renewed(Reached.NOTHING, held.base(), passed.generation());
                }
            }

            void apply(int partition) {
                applied.add(partition);
            }

            boolean deliver(int partition, String log) {
                if (!applied.contains(partition)) {
                    return false;
                }
                List<EventId> events = logs.get(log);
                int at = cursors.get(partition + log);
                while (at < events.size() && partitionOf(events.get(at)) != partition) {
                    at++;
                }
                boolean found = at < events.size();
                if (found) {
                    tell(partition, log, events.get(at), at < given.getOrDefault(partition + log, 0));
                }
                cursors.put(partition + log, found ? at + 1 : at);
                return found;
            }

            private void tell(int partition, String log, EventId id, boolean redelivery) {
                ReceivedEvent event = new ReceivedEvent(
                        name,
                        EventType.UPDATE,
                        id.toString(),
                        "acme",
                        "orders",
                        "d",
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        false,
                        redelivery,
                        "");
                FencingToken token = new FencingToken(generation, 1);
                assertThat(held.handle(new Incoming(event, ++seq, partition, token, null, mine, log), fence))
                        .isInstanceOf(Handling.Done.class);
            }

            void putBack(int partition, String log) {
                int at = cursors.get(partition + log);
                given.merge(partition + log, at, Math::max);
                int lowest = position(start, log);
                cursors.put(partition + log, lowest + random.nextInt(at - lowest + 1));
            }

            /** A letter of an event that was settled before. */
            void retryLetter(String log) {
                int at = cursors.values().stream()
                        .mapToInt(Integer::intValue)
                        .min()
                        .orElse(0);
                if (at > position(start, log) && at <= logs.get(log).size()) {
                    EventId event = logs.get(log).get(at - 1);
                    tell(partitionOf(event), log, event, true);
                }
            }

            /** The gateway learns late that its subscription has ended, and hears meanwhile how far all others are. */
            void endAndBeRegisteredAgain() {
                if (!answered) {
                    return;
                }
                Map<String, Integer> heads = new HashMap<>();
                logs.forEach((log, events) -> heads.put(log, events.size()));
                revision++;
                for (int p = 0; p < partitions; p++) {
                    passed.tell(new Passed(generation, partitions, p, marker(heads), revision, List.of()));
                }
                held.progress();
                held.isLost();
                if (random.nextBoolean()) {
                    passed.forget();
                }
                start = ProgressMarker.decode(held.progress());
                mine = ++revision;
                applied.clear();
                given.clear();
                for (int p = 0; p < partitions; p++) {
                    begin(p);
                }
                held.registeredAgain(mine, passed.generation());
            }

            /** The marker is of all users; this one stands elsewhere, or is not known there, at times. */
            void tellPassed(int partition) {
                boolean known = applied.contains(partition);
                boolean aside = known && random.nextInt(4) == 0;
                Map<String, Integer> places = new HashMap<>();
                for (String log : LOGS) {
                    int most = known && !aside
                            ? cursors.get(partition + log)
                            : logs.get(log).size();
                    places.put(log, random.nextInt(3) == 0 ? random.nextInt(most + 1) : most);
                }
                passed.tell(new Passed(
                        generation,
                        partitions,
                        partition,
                        marker(places),
                        known ? mine : mine - 1,
                        aside ? List.of(name) : List.of()));
            }

            /** Each new partition begins at the lowest of the old places. */
            void resized() {
                for (String log : LOGS) {
                    int lowest = cursors.entrySet().stream()
                            .filter(each -> each.getKey().endsWith(log))
                            .mapToInt(Map.Entry::getValue)
                            .min()
                            .orElse(0);
                    cursors.keySet().removeIf(key -> key.endsWith(log));
                    for (int p = 0; p < partitions; p++) {
                        cursors.put(p + log, lowest);
                        given.put(p + log, logs.get(log).size());
                    }
                }
                applied.clear();
            }
        }
    }

    /** Reads what was put into its queue, in order, and keeps the last id. */
    private static final class Client {
        private final List<ReceivedEvent> queue = new ArrayList<>();
        private final Set<EventId> got = new HashSet<>();
        private String lastId = "";

        void read(int most) {
            for (int k = 0; k < most && !queue.isEmpty(); k++) {
                ReceivedEvent event = queue.removeFirst();
                got.add(EventId.parse(event.eventId()));
                lastId = event.resumeId().isEmpty() ? lastId : event.resumeId();
            }
        }

        void readIdle(HeldSubscription held) {
            String id = held.resumeId();
            if (queue.isEmpty() && !id.isEmpty()) {
                lastId = id;
            }
        }

        void cut() {
            queue.clear();
        }
    }
}
