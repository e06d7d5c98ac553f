package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionEnd;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The subscriptions of a {@link StreamerWorld}: how they come, change and go, and what each is owed. */
final class WorldSubscriptions {
    static final int GROUPS = 3;

    /** What one change of a subscription was. */
    enum Change {
        NEW,
        GATEWAY,
        PRIORITY,
        FILTER,
        BEGINS_AGAIN,
        END
    }

    final Map<String, Wanted> wanted = new TreeMap<>();

    /** Gateway and subscription, of all that ever belonged together. */
    private final Set<String> everOf = new HashSet<>();

    /** What is on its way in a priority that a subscription had before concerns it, too. */
    private final Set<String> formerly = new HashSet<>();

    private final StreamerWorld world;
    private final Random random;
    private final boolean zombies;
    private final int spread;
    private int subscriptions;
    private int fanout = 1;

    /** @param spread over so many gateways and priorities */
    WorldSubscriptions(StreamerWorld world, boolean zombies, int spread) {
        this.world = world;
        this.random = world.random;
        this.zombies = zombies;
        this.spread = spread;
    }

    /** How many were there at once, at most. */
    int fanout() {
        return fanout;
    }

    Wanted wanted(String id) {
        return wanted.computeIfAbsent(id, none -> new Wanted(world.feed));
    }

    List<ChangeEvent> wantedBy(String id) {
        Subscription subscription = world.registry.byId.get(id);
        Wanted what = wanted.get(id);
        return subscription == null || what == null ? List.of() : what.events(subscription);
    }

    boolean wasEverAt(String gateway, String id) {
        return everOf.contains(gateway + id);
    }

    /** The subscriptions that a gateway tells of a delete that stands for many. */
    List<String> stoodForAt(String gateway, Priority priority, String collection) {
        return world.registry.byId.values().stream()
                .filter(each -> each.gatewayId().equals(gateway)
                        && (each.priority() == priority || formerly.contains(each.id() + priority))
                        && each.collection().equals(collection)
                        && !each.filter().equals("{}"))
                .map(Subscription::id)
                .toList();
    }

    /** Changes something. Returns what; null: there was nothing to change. */
    @Nullable
    Change change() {
        List<String> ids = List.copyOf(wanted.keySet());
        int dice = random.nextInt(12);
        if (ids.size() < 3 || dice < 3) {
            subscribe(random.nextInt(3) == 0 ? oldMarker() : null);
            return Change.NEW;
        }
        Subscription one = world.registry.byId.get(ids.get(random.nextInt(ids.size())));
        if (one == null) {
            return null;
        }
        if (dice < 5) {
            return change(one, "g" + random.nextInt(Math.max(2, spread)), one.priority(), one.from(), Change.GATEWAY);
        } else if (dice < 7 && !zombies) {
            wanted(one.id()).changedClass = true;
            formerly.add(one.id() + one.priority());
            Priority other = Priority.values()[random.nextInt(spread)];
            return change(one, one.gatewayId(), other, one.from(), Change.PRIORITY);
        } else if (dice < 8 && !zombies) {
            ProgressMarker marker = oldMarker();
            Wanted again = wanted(one.id());
            again.restarted = true;
            again.beginsAt(marker);
            return change(one, one.gatewayId(), one.priority(), Optional.of(marker), Change.BEGINS_AGAIN);
        } else if (dice < 10 && !zombies) {
            wanted(one.id()).filterEnds(one.filter());
            return change(one, one.gatewayId(), one.priority(), one.from(), Change.FILTER);
        }
        end(one.id(), SubscriptionEnd.REMOVED);
        return Change.END;
    }

    /** A marker as a client may have kept it: that of some event, or a little older than what is kept. */
    private ProgressMarker oldMarker() {
        SimulatedFeed feed = world.feed;
        Map<String, EventId> ids = new HashMap<>();
        for (int k = 0; k < 40; k++) {
            ChangeEvent some = feed.all.get(random.nextInt(feed.all.size()));
            ids.put(some.backend(), some.id());
        }
        feed.end().positions().forEach(ids::putIfAbsent);
        return new ProgressMarker(ids);
    }

    private String filter() {
        return spread > 1 && random.nextBoolean() ? "{}" : "{\"g\":" + random.nextInt(GROUPS) + "}";
    }

    void subscribe(@Nullable ProgressMarker from) {
        String id = "s" + subscriptions++;
        RoutingMode mode = world.settings.mode();
        String gateway = mode == RoutingMode.DIRECT || random.nextBoolean()
                ? "g" + random.nextInt(spread)
                : mode == RoutingMode.BROADCAST ? "elsewhere" : "";
        Subscription subscription = new Subscription(
                id,
                gateway,
                "",
                "c" + random.nextInt(Math.min(spread, 2)),
                Optional.empty(),
                filter(),
                Priority.values()[random.nextInt(spread)],
                Subscription.DEFAULT_TTL,
                Optional.ofNullable(from),
                mode != RoutingMode.DIRECT && random.nextBoolean(),
                false);
        world.note("new " + subscription);
        Wanted fresh = new Wanted(world.feed);
        // An owner that was replaced does not hear of registrations, but here it sees the index.
        fresh.restarted = zombies && from != null;
        fresh.beginsAt(subscription.from().orElseGet(world.feed::end));
        wanted.put(id, fresh);
        if (from != null) {
            sharesItsStart(subscription);
            boolean alone = world.registry.ofGateway(gateway).isEmpty();
            world.happened(alone ? null : Occurrences.Kind.BEGAN_IN_THE_PAST_BESIDE_NEIGHBOURS);
        }
        everOf.add(gateway + id);
        world.registry.add(subscription);
        fanout = Math.max(fanout, wanted.size());
    }

    /** Who hears a broadcast hears it for all of one owner: when one begins in the past, the others are told again, too. */
    private void sharesItsStart(Subscription subscription) {
        if (world.settings.mode() == RoutingMode.BROADCAST) {
            world.registry.ofGateway(subscription.gatewayId()).forEach(each -> wanted(each.id()).restarted = true);
            wanted(subscription.id()).restarted = true;
        }
    }

    private Change change(
            Subscription s, String gateway, Priority priority, Optional<ProgressMarker> from, Change what) {
        Subscription later = new Subscription(
                s.id(),
                s.gatewayId().isEmpty() || s.gatewayId().equals("elsewhere") ? s.gatewayId() : gateway,
                s.tenant(),
                s.collection(),
                s.documentId(),
                what == Change.FILTER ? filter() : s.filter(),
                priority,
                s.ttl(),
                from,
                s.failover(),
                s.transitions());
        world.note("change to " + later);
        // An owner that was replaced does not hear of it, but here it sees the index.
        wanted(s.id()).restarted |= zombies && !later.gatewayId().equals(s.gatewayId());
        everOf.add(later.gatewayId() + later.id());
        if (!later.equals(s)) {
            sharesItsStart(later);
        }
        if (world.registry.late && !later.gatewayId().equals(s.gatewayId())) {
            world.happened(Occurrences.Kind.MOVED_WHILE_WATCH_LATE);
        }
        world.registry.add(later);
        if (!zombies && random.nextInt(8) == 0) {
            world.crash(Occurrences.Kind.CRASHED_BETWEEN_STEPS);
        }
        return what;
    }

    void end(String id, SubscriptionEnd why) {
        world.note("end of " + id);
        wanted.remove(id);
        world.registry.remove(id, why);
    }
}
