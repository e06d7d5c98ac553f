package dev.sluice.route;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Passed;
import dev.sluice.deliver.Protocol;
import dev.sluice.lane.DeadLetter;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.LaneSettings;
import dev.sluice.lane.RoutingMode;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Partitioner;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionEnd;
import dev.sluice.subscribe.SubscriptionRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything around a Streamer, on one thread and a virtual clock, chosen by a seed: sources, gateways that misbehave,
 * subscriptions that come and go, crashes that leave only what was stored. It knows what must arrive, and looks.
 */
final class StreamerWorld {
    static final int PARTITIONS = 3;
    private static final boolean TRACED = Long.getLong("sluice.seed") != null;
    private static final int GROUPS = 3;
    private static final int QUEUE = 40;

    final Random random;
    final SimulatedTurns turns;
    final SimulatedFeed feed;
    final SimulatedRegistry registry;
    final MemoryDeadLetters letters = new MemoryDeadLetters();
    final Map<String, SimulatedGateway> gateways = new TreeMap<>();

    /** Gateway and subscription, of all that ever belonged together. */
    private final Set<String> everOf = new HashSet<>();

    final Set<String> up = new HashSet<>();
    final Set<String> known = new HashSet<>();
    final Map<String, Wanted> wanted = new TreeMap<>();
    final List<SimulatedClaim> claims = new ArrayList<>();

    /** What is on its way in a priority that a subscription had before concerns it, too. */
    private final Set<String> formerly = new HashSet<>();

    private final Set<String> markersSeen = new HashSet<>();
    final StreamerSettings settings;
    private final Partitioner partitioner = new Partitioner(PARTITIONS);
    private final boolean zombies;
    private final int spread;
    private int subscriptions;
    private int fanout = 1;
    Life life;
    Streamer streamer;
    long crashes;

    /** What a subscription is to get: of each backend, everything from this index on. */
    static final class Wanted {
        final Map<String, Integer> from = new HashMap<>();
        boolean restarted;
        boolean changedClass;
    }

    StreamerWorld(long seed) {
        random = new Random(seed);
        turns = new SimulatedTurns(random);
        feed = new SimulatedFeed(random, turns, 1 + random.nextInt(2));
        feed.failing = random.nextBoolean() ? 0.02 : 0;
        zombies = random.nextInt(4) == 0;
        // Where all are of one gateway and class, deletes stand for many.
        spread = random.nextInt(3) == 0 ? 1 : 3;
        int choice = random.nextInt(10);
        RoutingMode mode =
                choice < 5 ? RoutingMode.DIRECT : choice < 7 ? RoutingMode.CONSISTENT_HASH : RoutingMode.BROADCAST;
        settings = StreamerSettings.DEFAULT
                .withPartitions(PARTITIONS)
                .withMode(mode, 0)
                .withLanes(new LaneSettings(
                        new LaneSettings.Batch(5, 1 << 20, Duration.ofMillis(50), Duration.ofMillis(10)),
                        new LaneSettings.Queue(QUEUE, 1 << 20, 70, 90),
                        new LaneSettings.Retry(3, Duration.ofMillis(100), Duration.ofSeconds(2), 2),
                        new LaneSettings.Breaker(5, Duration.ofSeconds(3)),
                        1 + random.nextInt(3),
                        true));
        registry = new SimulatedRegistry(mode, feed);
        for (int k = 0; k < PARTITIONS; k++) {
            claims.add(new SimulatedClaim(k, this::reported));
        }
        for (int k = 0; k < 3; k++) {
            SimulatedGateway gateway = new SimulatedGateway(random, turns);
            gateway.poison = delivery -> poison(delivery.event().event());
            String name = "g" + k;
            gateway.watcher = (delivery, outcome) -> {
                note(name + " " + outcome + " " + delivery.subscriptionId()
                        + " event "
                        + feed.numbers.getOrDefault(delivery.event().event().id(), -1) + " "
                        + delivery.type() + (delivery.representative() ? " for " + delivery.standsFor() : "") + " seq "
                        + delivery.seq() + " p" + delivery.partition() + " "
                        + delivery.token());
                // What is told for many makes no resume point: its marker may be older than a subscription that hears
                // it.
                if (outcome.equals("Delivered") && !delivery.representative()) {
                    checkMarker(name, delivery);
                }
            };
            gateway.holds = id -> holds(name, id);
            gateway.registered = id -> settings.mode() != RoutingMode.CONSISTENT_HASH || everOf.contains(name + id);
            gateway.concerned = delivery -> stoodForAt(name, delivery);
            gateway.passed = passed -> checkPassed(name, passed);
            gateway.mayRepeat = id -> wanted.get(id) == null || wanted(id).restarted;
            gateways.put("g" + k, gateway);
            known.add("g" + k);
            up.add("g" + k);
            registry.gateway("g" + k, true);
        }
        life = new Life(turns);
        streamer = boot();
        // Nobody registers before it is known where now is.
        while (streamer.head().isEmpty()) {
            turns.run(Duration.ofMillis(200));
        }
        for (int k = 0; k < 5 && spread == 1; k++) {
            subscribe(null);
        }
    }

    /** One that was given to another gateway has ended here; those the ring places may be here. */
    private boolean holds(String gateway, String id) {
        Subscription subscription = registry.byId.get(id);
        return subscription == null
                || subscription.gatewayId().equals(gateway)
                || settings.mode() != RoutingMode.DIRECT;
    }

    private List<String> stoodForAt(String gateway, Delivery delivery) {
        return registry.byId.values().stream()
                .filter(each -> each.gatewayId().equals(gateway)
                        && (each.priority() == delivery.standsFor()
                                || formerly.contains(each.id() + delivery.standsFor()))
                        && each.collection().equals(delivery.event().event().collection())
                        && !each.filter().equals("{}"))
                .map(Subscription::id)
                .toList();
    }

    private int poison(ChangeEvent event) {
        if (event.document() == null) {
            return 0;
        }
        int number = feed.numbers.getOrDefault(event.id(), 0);
        return number % 23 == 7 ? 1 : number % 29 == 11 ? 2 : number % 31 == 13 ? 3 : number % 37 == 17 ? 4 : 0;
    }

    /** What happened, for a seed that is being replayed. */
    private void note(String what) {
        if (TRACED) {
            System.out.println(turns.now() + " " + what);
        }
    }

    private Streamer boot() {
        Life mine = life;
        Streamer fresh =
                new Streamer(settings, feed, registry, address -> mine.reaching(gateway(address.id())), letters, mine);
        known.forEach(id -> fresh.up(address(id)));
        known.stream().filter(id -> !up.contains(id)).forEach(fresh::away);
        claims.forEach(claim -> assign(fresh, claim));
        return fresh;
    }

    /** One partition comes after the other, and some much later. */
    private void assign(Streamer to, SimulatedClaim claim) {
        if (random.nextInt(3) > 0) {
            to.assigned(claim.take());
            return;
        }
        life.after(Duration.ofMillis(random.nextInt(3000)), () -> {
            if (streamer == to) {
                to.assigned(claim.take());
            }
        });
    }

    private void loseAClaim() {
        SimulatedClaim claim = claims.get(random.nextInt(PARTITIONS));
        note("lost " + claim.token());
        streamer.lost(claim.partition(), claim.token());
        assign(streamer, claim);
    }

    private SimulatedGateway gateway(String id) {
        return gateways.getOrDefault(id, new SimulatedGateway(random, turns));
    }

    private static GatewayAddress address(String id) {
        return new GatewayAddress(id, Protocol.HTTP, "http://" + id);
    }

    // What happens.

    void live(int steps) {
        for (int k = 0; k < steps; k++) {
            act();
            turns.run(Duration.ofMillis(1 + random.nextInt(60)));
            checkCursors();
        }
    }

    private void act() {
        int dice = random.nextInt(100);
        if (dice < 50) {
            for (int k = random.nextInt(8); k >= 0; k--) {
                feed.change("c" + random.nextInt(2), random.nextInt(6), random.nextInt(GROUPS));
            }
        } else if (dice < 60) {
            changeSubscriptions();
        } else if (dice < 72) {
            gateway("g" + random.nextInt(3)).mode =
                    SimulatedGateway.Mode.values()[random.nextInt(SimulatedGateway.Mode.values().length)];
        } else if (dice < 82) {
            gateways.values().forEach(each -> each.mode = SimulatedGateway.Mode.WELL);
            // It started anew, and nobody noticed.
            gateway("g0").adopted.clear();
        } else if (dice < 86) {
            comeAndGo("g" + random.nextInt(3));
        } else if (dice < 88) {
            crash();
        } else if (dice < 89) {
            loseAClaim();
        } else if (dice < 94) {
            claims.get(random.nextInt(PARTITIONS)).persist();
        } else if (dice < 96) {
            feed.evict("db0", 10 + random.nextInt(60));
        } else if (dice < 97) {
            letters.failing = random.nextInt(3);
        } else if (dice < 98) {
            feed.append("db0", Operation.RESYNC, "", "", 0, false);
        } else if (dice < 99) {
            disturbFollowers();
        } else {
            turns.run(Duration.ofSeconds(random.nextInt(8)));
        }
    }

    /** Another Puller, a registry whose changes come late, or a watch that was lost. */
    private void disturbFollowers() {
        switch (random.nextInt(3)) {
            case 0 -> {
                note("another Puller");
                feed.changePuller();
            }
            case 1 -> {
                note("the registry's watch is late");
                registry.late = true;
                turns.after(Duration.ofMillis(random.nextInt(5000)), registry::show);
            }
            default -> {
                note("the registry's watch is lost");
                registry.forgetChanges();
            }
        }
    }

    void crash() {
        registry.show();
        crashes++;
        note("crash");
        Life before = life;
        if (zombies && random.nextBoolean()) {
            // It does not know yet that it was replaced.
            turns.after(Duration.ofMillis(random.nextInt(8000)), before::end);
        } else {
            before.end();
        }
        life = new Life(turns);
        streamer = boot();
    }

    void comeAndGo(String id) {
        note(id + " comes or goes");
        if (up.remove(id)) {
            streamer.away(id);
        } else if (known.contains(id) && random.nextInt(4) > 0) {
            up.add(id);
            streamer.up(address(id));
        } else if (known.remove(id)) {
            for (Subscription each : registry.ofGateway(id)) {
                if (!each.failover()) {
                    end(each.id(), SubscriptionEnd.GATEWAY_GONE);
                }
            }
            registry.gateway(id, false);
            streamer.gone(id);
        } else {
            known.add(id);
            up.add(id);
            registry.gateway(id, true);
            streamer.up(address(id));
        }
    }

    private void changeSubscriptions() {
        List<String> ids = List.copyOf(wanted.keySet());
        int dice = random.nextInt(10);
        if (ids.size() < 3 || dice < 3) {
            subscribe(random.nextInt(3) == 0 ? oldMarker() : null);
            return;
        }
        Subscription one = registry.byId.get(ids.get(random.nextInt(ids.size())));
        if (one == null) {
            return;
        }
        if (dice < 5) {
            change(one, "g" + random.nextInt(spread), one.priority(), one.from());
        } else if (dice < 7 && !zombies) {
            wanted(one.id()).changedClass = true;
            formerly.add(one.id() + one.priority());
            change(one, one.gatewayId(), Priority.values()[random.nextInt(spread)], one.from());
        } else if (dice < 8 && !zombies) {
            ProgressMarker marker = oldMarker();
            Wanted again = wanted(one.id());
            again.restarted = true;
            wantFrom(again, marker);
            change(one, one.gatewayId(), one.priority(), Optional.of(marker));
        } else {
            end(one.id(), SubscriptionEnd.REMOVED);
        }
    }

    /** A marker as a client may have kept it: that of some event, or a little older than what is kept. */
    private ProgressMarker oldMarker() {
        Map<String, EventId> ids = new HashMap<>();
        for (int k = 0; k < 40; k++) {
            ChangeEvent some = feed.all.get(random.nextInt(feed.all.size()));
            ids.put(some.backend(), some.id());
        }
        feed.end().positions().forEach(ids::putIfAbsent);
        return new ProgressMarker(ids);
    }

    void subscribe(@Nullable ProgressMarker from) {
        String id = "s" + subscriptions++;
        String gateway = settings.mode() == RoutingMode.DIRECT || random.nextBoolean()
                ? "g" + random.nextInt(spread)
                : settings.mode() == RoutingMode.BROADCAST ? "elsewhere" : "";
        String filter = spread > 1 && random.nextBoolean() ? "{}" : "{\"g\":" + random.nextInt(GROUPS) + "}";
        Subscription subscription = new Subscription(
                id,
                gateway,
                "",
                "c" + random.nextInt(Math.min(spread, 2)),
                Optional.empty(),
                filter,
                Priority.values()[random.nextInt(spread)],
                Subscription.DEFAULT_TTL,
                Optional.ofNullable(from),
                settings.mode() != RoutingMode.DIRECT && random.nextBoolean(),
                false);
        note("new " + subscription);
        Wanted fresh = new Wanted();
        // An owner that was replaced does not hear of registrations, but here it sees the index.
        fresh.restarted = zombies && subscription.from().isPresent();
        wantFrom(fresh, subscription.from().orElseGet(feed::end));
        wanted.put(id, fresh);
        if (subscription.from().isPresent()) {
            sharesItsStart(subscription);
        }
        everOf.add(gateway + id);
        registry.add(subscription);
        fanout = Math.max(fanout, wanted.size());
    }

    /** Who hears a broadcast hears it for all of one owner: when one begins in the past, the others are told again, too. */
    private void sharesItsStart(Subscription subscription) {
        if (settings.mode() == RoutingMode.BROADCAST) {
            registry.ofGateway(subscription.gatewayId()).forEach(each -> wanted(each.id()).restarted = true);
            wanted(subscription.id()).restarted = true;
        }
    }

    private void wantFrom(Wanted what, ProgressMarker marker) {
        feed.end()
                .positions()
                .forEach((backend, end) -> what.from.put(
                        backend, feed.index(backend, marker.position(backend).orElse(null))));
    }

    private Wanted wanted(String id) {
        return wanted.computeIfAbsent(id, none -> new Wanted());
    }

    private void change(Subscription s, String gateway, Priority priority, Optional<ProgressMarker> from) {
        Subscription later = new Subscription(
                s.id(),
                s.gatewayId().isEmpty() || s.gatewayId().equals("elsewhere") ? s.gatewayId() : gateway,
                s.tenant(),
                s.collection(),
                s.documentId(),
                s.filter(),
                priority,
                s.ttl(),
                from,
                s.failover(),
                s.transitions());
        note("change to " + later);
        // An owner that was replaced does not hear of it, but here it sees the index.
        wanted(s.id()).restarted |= zombies && !later.gatewayId().equals(s.gatewayId());
        everOf.add(later.gatewayId() + later.id());
        if (!later.equals(s)) {
            sharesItsStart(later);
        }
        registry.add(later);
        if (!zombies && random.nextInt(8) == 0) {
            crash();
        }
    }

    private void end(String id, SubscriptionEnd why) {
        note("end of " + id);
        wanted.remove(id);
        registry.remove(id, why);
    }

    /** Everybody is well and there, until nothing moves any more. */
    void heal() {
        feed.failing = 0;
        letters.failing = 0;
        for (String id : gateways.keySet()) {
            gateway(id).mode = SimulatedGateway.Mode.WELL;
            known.add(id);
            up.add(id);
            registry.gateway(id, true);
            streamer.up(address(id));
        }
        registry.show();
        for (int k = 0; k < 60; k++) {
            // Traffic goes on: at the very end of a log nobody can tell the order of two ids of one time.
            feed.end().positions().keySet().forEach(each -> feed.append(each, Operation.DROP, "none", "", 0, false));
            turns.run(Duration.ofSeconds(5));
            if (isQuiet()) {
                return;
            }
        }
        throw new AssertionError("it never comes to rest: " + streamer.status());
    }

    private boolean isQuiet() {
        StreamerStatus status = streamer.status();
        return status.lanes().stream().allMatch(lane -> lane.behind().isEmpty())
                && status.partitions().size() == PARTITIONS
                && status.partitions().stream().allMatch(each -> each.unacknowledged() == 0);
    }

    // What must hold.

    /** Everything a subscription is to get has arrived, is a dead letter, or is missed by somebody who was told so. */
    void check() {
        gateways.forEach((name, gateway) -> {
            if (!gateway.unexplained.isEmpty()) {
                throw new AssertionError(name + " was not told of " + gateway.unexplained.getFirst());
            }
        });
        for (String id : wanted.keySet()) {
            for (ChangeEvent event : wantedBy(id)) {
                if (!isSettled(id, event)) {
                    throw new AssertionError("lost: " + id + " never got event "
                            + feed.numbers.get(event.id()) + " " + event.id() + " of " + event.collection() + "/"
                            + event.documentId() + " in partition " + event.partition(partitioner) + ", "
                            + registry.byId.get(id));
                }
            }
        }
        gateways.values().forEach(gateway -> {
            if (!gateway.violations.isEmpty()) {
                throw new AssertionError(gateway.violations.getFirst());
            }
        });
        checkOrder();
        checkLetters();
        long most = streamer.counters().longestQueue();
        if (most > QUEUE + fanout) {
            throw new AssertionError("a queue held " + most + ", and may hold " + QUEUE);
        }
        for (StreamerStatus.OfPartition each : streamer.status().partitions()) {
            if (each.health() != StreamerStatus.Health.HEALTHY && each.health() != StreamerStatus.Health.LAGGING) {
                throw new AssertionError("a partition is not well: " + each);
            }
        }
    }

    /** {@code acked} is not ahead of {@code read}, nor {@code read} of the tail, and a side member is in one group. */
    private void checkCursors() {
        for (OwnedPartition partition : streamer.owned()) {
            for (PartitionStream stream : partition.streams()) {
                Position tail = stream.tail();
                Set<String> members = new HashSet<>();
                stream.groups().all().forEach(group -> {
                    if (group.read(tail).isBefore(group.acked(tail)) || tail.isBefore(group.read(tail))) {
                        throw new AssertionError("cursor of " + group.key + " in " + stream.id() + ": acked "
                                + group.acked(tail) + ", read " + group.read(tail) + ", tail " + tail);
                    }
                    if (group.members != null) {
                        group.members.keySet().forEach(id -> {
                            if (!members.add(id + "/" + group.key.gateway())) {
                                throw new AssertionError(id + " is in two groups of " + stream.id());
                            }
                            if (stream.groups().side(id, group.key.gateway()) != group) {
                                throw new AssertionError(id + " is not known to be in its group of " + stream.id());
                            }
                        });
                    }
                });
            }
        }
    }

    private List<ChangeEvent> wantedBy(String id) {
        Subscription subscription = registry.byId.get(id);
        Wanted what = wanted.get(id);
        if (subscription == null || what == null) {
            return List.of();
        }
        List<ChangeEvent> events = new ArrayList<>();
        for (ChangeEvent event : feed.all) {
            if (feed.place(event) >= what.from.getOrDefault(event.backend(), 0) && matches(subscription, event)) {
                events.add(event);
            }
        }
        return events;
    }

    private static boolean matches(Subscription subscription, ChangeEvent event) {
        if (event.operation() == Operation.RESYNC) {
            return true;
        }
        return event.operation().isData()
                && event.collection().equals(subscription.collection())
                && (event.document() == null
                        || subscription.filter().equals("{}")
                        || subscription.filter().equals("{\"g\":" + group(event) + "}"));
    }

    private static int group(ChangeEvent event) {
        return event.document() == null
                ? -1
                : event.document().view().getInt32("g").getValue();
    }

    private boolean isSettled(String id, ChangeEvent event) {
        String key = SimulatedGateway.key(
                id, event.id(), event.operation() == Operation.RESYNC ? EventType.RESYNC : EventType.REPLACE);
        if (gateways.values().stream().anyMatch(gateway -> gateway.had.contains(key))) {
            return true;
        }
        boolean dead = letters.events.contains(id + " " + event.id());
        return dead || feed.isEvicted(event) && wasTold(id);
    }

    private boolean wasTold(String id) {
        return gateways.values().stream().anyMatch(gateway -> gateway.toldToResync.contains(id));
    }

    private void checkOrder() {
        gateways.forEach((name, gateway) -> {
            Map<String, Integer> last = new HashMap<>();
            Map<String, List<Delivery>> tellings = new HashMap<>();
            gateway.firsts.forEach(delivery -> tellings.computeIfAbsent(told(delivery), none -> new ArrayList<>())
                    .add(delivery));
            gateway.firsts.forEach(delivery -> {
                String id = delivery.subscriptionId();
                ChangeEvent event = delivery.event().event();
                List<Delivery> same = tellings.getOrDefault(told(delivery), List.of());
                boolean forAll = gateway.also.contains(delivery);
                if (forAll && same.getLast() != delivery) {
                    return; // it came before its turn, and again in its turn
                }
                Wanted what = wanted.get(id);
                // After a crash it may be given what was there before it registered; and where two owners tell of a gap
                // at the same time, what follows the first may come before the second.
                boolean owed = what != null
                        && !what.restarted
                        && !(forAll && what.changedClass)
                        && !((zombies || forAll) && wasTold(id))
                        && feed.place(event) >= what.from.getOrDefault(event.backend(), 0);
                if (owed && event.operation().isData()) {
                    int number = feed.numbers.getOrDefault(event.id(), -1);
                    String line = id + "/" + event.collection() + "/" + event.documentId();
                    Integer before = last.put(line, number);
                    // What was told again takes all with it that came behind: that is told again, too.
                    if (before != null && before > number && same.size() == 1 && !delivery.redelivery()) {
                        throw new AssertionError("reordered at " + name + ": " + line + " got " + number + " after "
                                + before + " under " + delivery.token());
                    }
                }
            });
        });
    }

    private static String told(Delivery delivery) {
        return delivery.subscriptionId() + " " + delivery.event().event().id();
    }

    private void checkLetters() {
        for (DeadLetter letter : letters.byId.values()) {
            if (poison(feed.all.get(feed.numbers.getOrDefault(EventId.parse(letter.eventId()), 0))) == 0) {
                throw new AssertionError("a dead letter of an event that nobody refused: " + letter);
            }
        }
        long different = letters.byId.values().stream()
                .map(letter -> letter.gatewayId() + "/" + letter.subscriptionId() + "/" + letter.eventId())
                .distinct()
                .count();
        if (different != letters.byId.size()) {
            throw new AssertionError("an event is there twice among the dead letters");
        }
    }

    /** What a partition has passed is settled for every subscription that it counts for. */
    private void checkPassed(String gateway, Passed passed) {
        for (SubscriptionRecord each : registry.stored.values()) {
            boolean counts = each.home().equals(new Home.Gateway(gateway))
                    && each.revision() <= passed.revision()
                    && !passed.except().contains(each.id());
            if (!counts || zombies) {
                continue;
            }
            for (ChangeEvent event : wantedBy(each.id())) {
                boolean ours = event.operation().isControl() || event.partition(partitioner) == passed.partition();
                EventId at = passed.marker().position(event.backend()).orElseThrow();
                if (ours && feed.position(event).compareTo(feed.resolve(at)) <= 0 && !isSettled(each.id(), event)) {
                    gateway(gateway)
                            .violations
                            .add("passed of partition " + passed.partition() + " lies behind event "
                                    + feed.numbers.get(event.id()) + " that " + each.id() + " has not got: " + passed);
                }
            }
        }
    }

    /** Whoever loses its connection now and goes on from the marker it has just got has missed nothing. */
    private void checkMarker(String gateway, Delivery delivery) {
        String id = delivery.subscriptionId();
        Subscription subscription = registry.byId.get(id);
        Wanted what = wanted.get(id);
        if (zombies
                || delivery.progress().isEmpty()
                || subscription == null
                // The Streamer has not heard of it: what is told for many says nothing of its resume point.
                || !registry.stored.get(id).equals(registry.find(id))
                || what == null
                || what.restarted
                || known.contains(subscription.gatewayId())
                        && !subscription.gatewayId().equals(gateway)
                || !markersSeen.add(id + " " + delivery.progress())) {
            return;
        }
        ProgressMarker marker = ProgressMarker.decode(delivery.progress());
        for (ChangeEvent event : wantedBy(id)) {
            EventId at = marker.position(event.backend()).orElse(null);
            if (at != null && feed.place(event) < feed.index(event.backend(), at) && !isSettled(id, event)) {
                throw new AssertionError("the marker that " + id + " got at " + gateway + " with event "
                        + feed.numbers.get(delivery.event().event().id()) + " passes event "
                        + feed.numbers.get(event.id()) + " of partition " + event.partition(partitioner)
                        + ", which it has not got: " + subscription + " marker " + marker + " event at "
                        + feed.position(event) + " of " + event.backend());
            }
        }
    }

    /** A position may only pass what has been settled. */
    private void reported(int partition, String text) {
        note("p" + partition + " reports " + text);
        if (random.nextInt(3) > 0 || text.isEmpty() || settings.mode() == RoutingMode.BROADCAST) {
            return;
        }
        SavedPosition saved = SavedPositionText.parse(text).orElseThrow();
        for (String id : wanted.keySet()) {
            SubscriptionRecord subscription = registry.stored.get(id);
            if (subscription == null) {
                continue;
            }
            for (ChangeEvent event : wantedBy(id)) {
                boolean ours = event.operation().isControl() || event.partition(partitioner) == partition;
                if (ours && passes(saved, subscription, event) && !isSettled(id, event)) {
                    throw new AssertionError(
                            "the position of partition " + partition + " passes event " + feed.numbers.get(event.id())
                                    + " " + event.id() + " that " + id + " has not: " + text + " " + subscription);
                }
            }
        }
    }

    /** Whether an owner that begins with this position would not offer the event to the subscription (rule 4). */
    private boolean passes(SavedPosition saved, SubscriptionRecord subscription, ChangeEvent event) {
        SavedPosition.OfStream stream = saved.streams().get(event.backend());
        if (stream == null || subscription.created() > saved.revision()) {
            return false;
        }
        Position place = stream.groups().stream()
                .filter(each -> each.members() != null
                        && each.members().contains(new SavedPosition.Member(subscription.id(), subscription.created())))
                .map(SavedPosition.OfGroup::at)
                .findFirst()
                .orElse(null);
        boolean changed = subscription.revision() > saved.revision();
        if (place == null) {
            place = changed ? stream.lowestMain() : stream.placeOfMain(GroupKey.of(subscription, ""));
        }
        for (SubscriptionRecord.Change change : subscription.changes()) {
            Places.Place since = change.since().of(event.backend());
            if (change.revision() > saved.revision() && since != null) {
                place = Position.lower(place, since.position());
            }
        }
        return feed.position(event).compareTo(place) <= 0;
    }
}
