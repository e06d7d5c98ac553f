package dev.sluice.route;

import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where those stand that go to everybody, because nobody knows their gateway. What one owner is owed is either waiting in
 * classes of its own, or it is with each live gateway in a class that is for this owner alone; whenever it changes from one
 * to the other, it goes on from where it was. Guarded by its partition's lock.
 */
final class Broadcasts {
    private final Router router;
    private final PartitionHead head;
    private final Standings standings;
    private final Backlog backlog;

    /** Up to where somebody has acknowledged all of an owner's: whoever joins begins there. */
    private final Map<Recipient, Positions> done = new HashMap<>();

    /** Where the last of those who hear an owner's stands. */
    private final Map<Recipient, Positions> lowest = new HashMap<>();

    private Set<String> liveBefore = Set.of();
    private Map<Recipient, Set<Priority>> owners = new HashMap<>();

    Broadcasts(Router router, PartitionHead head, Standings standings, Backlog backlog) {
        this.router = router;
        this.head = head;
        this.standings = standings;
        this.backlog = backlog;
    }

    void add(Subscription subscription) {
        owners.computeIfAbsent(Router.owner(subscription), none -> EnumSet.noneOf(Priority.class))
                .add(subscription.priority());
    }

    /** Up to where somebody who hears it has acknowledged all of it; null: it was never broadcast. */
    @Nullable
    Positions done(Recipient owner) {
        remember();
        return router.reachesAll() ? done.get(owner) : lowest.get(owner);
    }

    /** One of its subscriptions begins there: for everybody who hears it, and for those who are away. */
    void lower(Recipient owner, Positions at) {
        remember();
        done.computeIfAbsent(owner, none -> at.copy()).lower(at);
        Set<Recipient> hearings = new HashSet<>();
        router.live().forEach(gateway -> hearings.add(new Recipient.Broadcast(gateway, owner)));
        for (LaneProgress each : standings.classes()) {
            if (each.owner instanceof Recipient.Broadcast broadcast
                    && broadcast.of().equals(owner)) {
                hearings.add(each.owner);
            }
        }
        hearings.forEach(each -> backlog.lower(new SavedPosition.LaneKey(each, Priority.LOW), at));
    }

    /** While it is still known who heard it. */
    void beforeChange() {
        liveBefore = Set.copyOf(router.live());
        remember();
    }

    private void remember() {
        Set<String> live = new HashSet<>(router.live());
        lowest.clear();
        for (LaneProgress each : standings.classes()) {
            if (each.owner instanceof Recipient.Broadcast broadcast && live.contains(broadcast.gateway())) {
                Recipient owner = broadcast.of();
                Positions low = standings.lowWater(each);
                lowest.computeIfAbsent(owner, none -> low.copy()).lower(low);
                done.computeIfAbsent(owner, none -> low.copy()).raise(low);
            }
        }
    }

    /** A new owner of the partition: who is not named began with its head. */
    void restored(Map<Recipient, Set<Priority>> theirs) {
        theirs.keySet().stream()
                .filter(router::isHomeless)
                .forEach(owner -> done.put(owner, head.at().copy()));
        settle(theirs);
    }

    /** @param registered who had no gateway, or has none now, with the priorities of their subscriptions */
    void settle(Map<Recipient, Set<Priority>> registered) {
        Map<Recipient, Set<Priority>> theirs = new HashMap<>(registered);
        // One that is just being registered is here before the registry shows it.
        for (LaneProgress each : standings.starts().all()) {
            if (router.isHomeless(each.owner)) {
                theirs.computeIfAbsent(each.owner, none -> EnumSet.of(each.priority));
            }
        }
        Set<String> live = new HashSet<>(router.live());
        boolean others = !live.equals(liveBefore);
        // Who is away for a while goes on from where it was when it comes back.
        for (LaneProgress each : standings.classes()) {
            String hearer = each.owner instanceof Recipient.Broadcast broadcast ? broadcast.gateway() : "";
            if (liveBefore.contains(hearer) && !live.contains(hearer) && router.isKnown(hearer)) {
                backlog.putBack(each, standings.lowWater(each));
            }
        }
        theirs.forEach((owner, priorities) -> {
            if (router.isHomeless(owner) && live.isEmpty()) {
                hold(owner, priorities);
            } else if (router.isHomeless(owner)) {
                spread(owner, others);
            } else {
                giveBack(owner, priorities);
            }
        });
        for (LaneProgress each : standings.classes()) {
            boolean ended = router.isHomeless(each.owner) && !theirs.containsKey(each.owner);
            boolean unheard =
                    each.owner instanceof Recipient.Broadcast broadcast && !isHeard(broadcast, live.isEmpty());
            if (ended || unheard) {
                backlog.discard(each);
            }
        }
        owners = new HashMap<>();
        theirs.forEach((owner, priorities) -> {
            if (router.isHomeless(owner)) {
                owners.put(owner, EnumSet.copyOf(priorities));
            }
        });
        done.keySet().retainAll(live.isEmpty() ? Set.of() : owners.keySet());
        liveBefore = live;
    }

    private boolean isHeard(Recipient.Broadcast broadcast, boolean byNobody) {
        return !byNobody && router.isKnown(broadcast.gateway()) && router.isHomeless(broadcast.of());
    }

    /** Nobody is there to hear it: it waits. */
    private void hold(Recipient owner, Set<Priority> priorities) {
        Positions at = router.reachesAll() ? done.get(owner) : lowest.get(owner);
        if (at != null) {
            priorities.forEach(each -> backlog.lower(new SavedPosition.LaneKey(owner, each), at));
        }
    }

    /** All that are live hear it, from where it waited, or from where the others are. */
    private void spread(Recipient owner, boolean others) {
        Positions waited = null;
        List<LaneProgress> waiting = standings.ofOwner(owner);
        for (LaneProgress each : waiting) {
            Positions start = standings.startOf(each);
            if (waited == null) {
                waited = start;
            } else {
                waited.lower(start);
            }
        }
        waiting.forEach(backlog::discard);
        if (waited != null) {
            done.put(owner, waited);
        }
        // Where only some hear each subscription, they are others now.
        Positions from = waited != null || router.reachesAll() ? done.get(owner) : lowest.get(owner);
        if (from == null) {
            return;
        }
        for (String gateway : router.live()) {
            SavedPosition.LaneKey key =
                    new SavedPosition.LaneKey(new Recipient.Broadcast(gateway, owner), Priority.LOW);
            if (waited != null || !standings.has(key) || others && !router.reachesAll()) {
                backlog.lower(key, from);
            }
        }
    }

    /** Its own gateway is there: that gets what not all have acknowledged. */
    private void giveBack(Recipient owner, Set<Priority> priorities) {
        Positions at = lowest.getOrDefault(owner, done.get(owner));
        if (at != null) {
            priorities.forEach(each -> backlog.lower(new SavedPosition.LaneKey(owner, each), at));
        }
    }

    /** Where they would begin if nobody heard them after a crash; for what is saved. */
    void eachOwner(BiConsumer<SavedPosition.LaneKey, Positions> action) {
        if (owners.isEmpty() || router.live().isEmpty()) {
            return;
        }
        remember();
        owners.forEach((owner, priorities) -> {
            Positions at = router.reachesAll() ? done.get(owner) : lowest.get(owner);
            if (at != null && router.isHomeless(owner)) {
                priorities.forEach(each -> action.accept(new SavedPosition.LaneKey(owner, each), at));
            }
        });
    }
}
