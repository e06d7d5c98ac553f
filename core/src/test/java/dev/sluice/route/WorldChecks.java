package dev.sluice.route;

import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Passed;
import dev.sluice.lane.DeadLetter;
import dev.sluice.lane.GroupKey;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Partitioner;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.saved.SavedPosition;
import dev.sluice.saved.SavedPositionText;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must hold of a {@link StreamerWorld}: at every moment, of every position, marker and delivery, and at the end. */
final class WorldChecks {
    private final StreamerWorld world;
    private final Partitioner partitioner = new Partitioner(StreamerWorld.PARTITIONS);
    private final Set<String> markersSeen = new HashSet<>();

    WorldChecks(StreamerWorld world) {
        this.world = world;
    }

    /** Everything a subscription is to get has arrived, is a dead letter, or is missed by somebody who was told so. */
    void atTheEnd() {
        world.gateways.forEach((name, gateway) -> {
            if (!gateway.unexplained.isEmpty()) {
                throw new AssertionError(name + " was not told of " + gateway.unexplained.getFirst());
            }
        });
        for (String id : world.subscriptions.wanted.keySet()) {
            for (ChangeEvent event : world.subscriptions.wantedBy(id)) {
                if (!isSettled(id, event)) {
                    throw new AssertionError("lost: " + id + " never got event "
                            + world.feed.numbers.get(event.id()) + " " + event.id() + " of " + event.collection() + "/"
                            + event.documentId() + " in partition " + event.partition(partitioner) + ", "
                            + world.registry.byId.get(id));
                }
            }
        }
        world.gateways.values().forEach(gateway -> {
            if (!gateway.violations.isEmpty()) {
                throw new AssertionError(gateway.violations.getFirst());
            }
        });
        checkOrder();
        checkLetters();
        world.happened(world.streamer.counters().resyncs() > 0 ? Occurrences.Kind.BEHIND_RETENTION : null);
        long most = world.streamer.counters().longestQueue();
        if (most > StreamerWorld.QUEUE + world.subscriptions.fanout()) {
            throw new AssertionError("a queue held " + most + ", and may hold " + StreamerWorld.QUEUE);
        }
        for (StreamerStatus.OfPartition each : world.streamer.status().partitions()) {
            if (each.health() != StreamerStatus.Health.HEALTHY && each.health() != StreamerStatus.Health.LAGGING) {
                throw new AssertionError("a partition is not well: " + each);
            }
        }
    }

    /** {@code acked} is not ahead of {@code read}, nor {@code read} of the tail, and a side member is in one group. */
    void cursors() {
        for (OwnedPartition partition : world.streamer.owned()) {
            for (PartitionStream stream : partition.streams()) {
                Position tail = stream.tail();
                Set<String> members = new HashSet<>();
                stream.groups().all().forEach(group -> {
                    world.happened(group.stuck ? Occurrences.Kind.PLACED_APART : null);
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

    private boolean isSettled(String id, ChangeEvent event) {
        String key = SimulatedGateway.key(
                id, event.id(), event.operation() == Operation.RESYNC ? EventType.RESYNC : EventType.REPLACE);
        if (world.gateways.values().stream().anyMatch(gateway -> gateway.had.contains(key))) {
            return true;
        }
        boolean dead = world.letters.events.contains(id + " " + event.id());
        return dead || world.feed.isEvicted(event) && wasTold(id);
    }

    private boolean wasTold(String id) {
        return world.gateways.values().stream().anyMatch(gateway -> gateway.toldToResync.contains(id));
    }

    private void checkOrder() {
        world.gateways.forEach((name, gateway) -> {
            Map<String, Integer> last = new HashMap<>();
            Map<String, Long> revisions = new HashMap<>();
            Map<String, List<Delivery>> tellings = new HashMap<>();
            gateway.firsts.forEach(delivery -> tellings.computeIfAbsent(told(delivery), none -> new ArrayList<>())
                    .add(delivery));
            gateway.firsts.forEach(delivery -> {
                String id = delivery.subscriptionId();
                ChangeEvent event = delivery.event().event();
                // Order is per revision of the subscription: a changed one is owed again what the earlier one was told.
                long revision = revisions.merge(id + "/" + delivery.partition(), delivery.revision(), Math::max);
                List<Delivery> same = tellings.getOrDefault(told(delivery), List.of());
                boolean forAll = gateway.also.contains(delivery);
                if (forAll && same.getLast() != delivery) {
                    return; // it came before its turn, and again in its turn
                }
                Wanted what = world.subscriptions.wanted.get(id);
                // After a crash it may be given what was there before it registered; and where two owners tell of a gap
                // at the same time, what follows the first may come before the second.
                boolean owed = what != null
                        && !what.restarted
                        && !(forAll && what.changedClass)
                        && !((world.zombies || forAll) && wasTold(id))
                        && what.begins(event);
                if (owed && event.operation().isData()) {
                    int number = world.feed.numbers.getOrDefault(event.id(), -1);
                    String line = id + "/" + event.collection() + "/" + event.documentId() + " of " + revision;
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
        for (DeadLetter letter : world.letters.byId.values()) {
            if (world.poison(world.feed.all.get(world.feed.numbers.getOrDefault(EventId.parse(letter.eventId()), 0)))
                    == 0) {
                throw new AssertionError("a dead letter of an event that nobody refused: " + letter);
            }
        }
        long different = world.letters.byId.values().stream()
                .map(letter -> letter.gatewayId() + "/" + letter.subscriptionId() + "/" + letter.eventId())
                .distinct()
                .count();
        if (different != world.letters.byId.size()) {
            throw new AssertionError("an event is there twice among the dead letters");
        }
    }

    /** What a partition has passed is settled for every subscription that it counts for. */
    void passed(String gateway, Passed passed) {
        for (SubscriptionRecord each : world.registry.stored.values()) {
            boolean counts = each.home().equals(new Home.Gateway(gateway))
                    && each.revision() <= passed.revision()
                    && !passed.except().contains(each.id());
            if (!counts || world.zombies) {
                continue;
            }
            for (ChangeEvent event : world.subscriptions.wantedBy(each.id())) {
                boolean ours = event.operation().isControl() || event.partition(partitioner) == passed.partition();
                EventId at = passed.marker().position(event.backend()).orElseThrow();
                if (ours
                        && world.feed.position(event).compareTo(world.feed.resolve(at)) <= 0
                        && !isSettled(each.id(), event)) {
                    world.gateway(gateway)
                            .violations
                            .add("passed of partition " + passed.partition() + " lies behind event "
                                    + world.feed.numbers.get(event.id()) + " that " + each.id() + " has not got: "
                                    + passed);
                }
            }
        }
    }

    /** Whoever loses its connection now and goes on from the marker it has just got has missed nothing. */
    void marker(String gateway, Delivery delivery) {
        String id = delivery.subscriptionId();
        Subscription subscription = world.registry.byId.get(id);
        Wanted what = world.subscriptions.wanted.get(id);
        if (world.zombies
                || delivery.progress().isEmpty()
                || subscription == null
                // The Streamer has not heard of it: what is told for many says nothing of its resume point.
                || !world.registry.stored.get(id).equals(world.registry.find(id))
                || what == null
                || what.restarted
                || world.known.contains(subscription.gatewayId())
                        && !subscription.gatewayId().equals(gateway)
                || !markersSeen.add(id + " " + delivery.progress())) {
            return;
        }
        ProgressMarker marker = ProgressMarker.decode(delivery.progress());
        for (ChangeEvent event : world.subscriptions.wantedBy(id)) {
            EventId at = marker.position(event.backend()).orElse(null);
            if (at != null
                    && world.feed.place(event) < world.feed.index(event.backend(), at)
                    && !isSettled(id, event)) {
                throw new AssertionError("the marker that " + id + " got at " + gateway + " with event "
                        + world.feed.numbers.get(delivery.event().event().id()) + " passes event "
                        + world.feed.numbers.get(event.id()) + " of partition " + event.partition(partitioner)
                        + ", which it has not got: " + subscription + " marker " + marker + " event at "
                        + world.feed.position(event) + " of " + event.backend());
            }
        }
    }

    /** A position may only pass what has been settled. */
    void reported(int partition, String text) {
        world.note("p" + partition + " reports " + text);
        count(partition, text);
        if (world.random.nextInt(3) > 0 || text.isEmpty()) {
            return;
        }
        SavedPosition saved = SavedPositionText.parse(text).orElseThrow();
        for (String id : world.subscriptions.wanted.keySet()) {
            SubscriptionRecord subscription = world.registry.stored.get(id);
            if (subscription == null) {
                continue;
            }
            for (ChangeEvent event : world.subscriptions.wantedBy(id)) {
                boolean ours = event.operation().isControl() || event.partition(partitioner) == partition;
                if (ours && passes(saved, subscription, event) && !isSettled(id, event)) {
                    throw new AssertionError("the position of partition " + partition + " passes event "
                            + world.feed.numbers.get(event.id()) + " " + event.id() + " that " + id + " has not: "
                            + text + " " + subscription);
                }
            }
        }
    }

    private void count(int partition, String text) {
        if (text.length() > world.claims.get(partition).longest) {
            throw new AssertionError("a position of " + text.length() + " characters: " + text);
        }
        for (OwnedPartition each : world.streamer == null ? List.<OwnedPartition>of() : world.streamer.owned()) {
            if (each.partition() == partition && !text.isEmpty() && each.isPlaced()) {
                long revision = SavedPositionText.parse(text).orElseThrow().revision();
                world.happened(revision < each.applied() ? Occurrences.Kind.SAVED_REVISION_LOWERED : null);
            }
        }
    }

    /** What every gateway has had: one of them at least has acknowledged it. */
    private static Position lowestBroadcast(SavedPosition.OfStream stream) {
        return stream.groups().stream()
                .filter(each -> each.isMain() && each.key().isBroadcast())
                .map(SavedPosition.OfGroup::at)
                .reduce(stream.tail(), Position::lower);
    }

    /** Whether an owner that begins with this position would not offer the event to the subscription (rule 4). */
    private boolean passes(SavedPosition saved, SubscriptionRecord subscription, ChangeEvent event) {
        SavedPosition.OfStream stream = saved.streams().get(event.backend());
        if (stream == null || subscription.created() > saved.revision()) {
            return false;
        }
        boolean changed = subscription.revision() > saved.revision();
        boolean isBroadcast = subscription.home() instanceof Home.Broadcast;
        // In a broadcast it is listed once for each gateway at which it stands elsewhere.
        Position place = stream.groups().stream()
                .filter(each -> each.members() != null
                        && each.members().contains(new SavedPosition.Member(subscription.id(), subscription.created())))
                .map(SavedPosition.OfGroup::at)
                .reduce(Position::lower)
                .orElse(null);
        if (place == null || isBroadcast) {
            Position main = changed
                    ? stream.lowestMain()
                    : isBroadcast ? lowestBroadcast(stream) : stream.placeOfMain(GroupKey.of(subscription, ""));
            place = place == null ? main : Position.lower(place, main);
        }
        for (SubscriptionRecord.Change change : subscription.changes()) {
            Places.Place since = change.since().of(event.backend());
            if (change.revision() > saved.revision() && since != null) {
                place = Position.lower(place, since.position());
            }
        }
        return world.feed.position(event).compareTo(place) <= 0;
    }
}
