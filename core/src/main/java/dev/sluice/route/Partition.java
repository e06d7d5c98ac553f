package dev.sluice.route;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.match.MatchKind;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Replacement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition that is ours: how far its head has been read, how far each class of each gateway has got, and what of it is
 * on its way. The head and every catch-up hand their events in here, in turn; none of them ever waits for a gateway.
 *
 * <p>One lock, which is taken before a lane's and never held over a call of the feed, a deliverer, the dead letters, the
 * registry or the claim; except that a catch-up that is nearly there reads the last few events under it.
 */
final class Partition implements Sender {
    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    /** A class this many events behind the head is saved with a position of its own: others need not begin there. */
    private static final int FAR = 1_000;

    private final Ownership ownership;
    private final Surroundings around;
    private final PositionReport report;
    private final ReentrantLock lock = new ReentrantLock();
    private final Positions head;

    /** The head of the log when it was claimed: the owner before may have sent up to there, its position does not tell. */
    private final Positions claimedAt;

    private boolean knowsHeadAtClaim;

    /** Where everybody who was not named began, or would have: that never goes back. */
    private Positions savedLow;

    private final Dedup dedup;
    private final Map<SavedPosition.LaneKey, LaneProgress> classes = new LinkedHashMap<>();
    private final Starts starts = new Starts();
    private final Births births = new Births();

    private final Broadcasts broadcasts;

    /** Those that began in the past, and go to everybody from there. */
    private final List<String> startedAtOnce = new ArrayList<>();

    /** Where those are to begin after a crash that are about to be stored with another gateway or priority. */
    private final Map<String, ProgressMarker> held = new HashMap<>();

    private final Numbers numbers = new Numbers();
    private final Set<LaneProgress> mustResync = new HashSet<>();
    private final List<LaneProgress> touched = new ArrayList<>();
    private final Set<Lane> fullLanes = new LinkedHashSet<>();
    private final Set<Lane> filledLanes = new LinkedHashSet<>();
    private long ordinal;
    private int resyncs;
    private long acknowledged;
    private volatile boolean open = true;
    private volatile boolean takingIn = true;

    /** @param saved where the owner before left off; null: there was none */
    Partition(Ownership ownership, Surroundings around, @Nullable SavedPosition saved) {
        this.ownership = ownership;
        this.report = new PositionReport(
                this, around, saved == null ? Set.of() : saved.starting().keySet());
        this.around = around;
        this.broadcasts = new Broadcasts(this, around.router());
        this.dedup = new Dedup(around.settings().dedupSize(), around.settings().dedupFor());
        this.head = saved == null ? Positions.nowhere() : Positions.of(saved.low());
        this.savedLow = head.copy();
        this.claimedAt = saved == null ? Positions.nowhere() : Positions.of(saved.head());
        this.knowsHeadAtClaim = saved == null;
    }

    /** Those that were behind are so again, and go on from where they were. */
    void restore(SavedPosition saved) {
        locked(() -> saved.behind().forEach((key, at) -> {
            fallBehind(progress(key), Positions.of(at), null);
            progress(key).begin();
        }));
    }

    PositionReport report() {
        return report;
    }

    @Override
    public int partition() {
        return ownership.partition();
    }

    @Override
    public FencingToken token() {
        return ownership.token();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /** Whether the head and the catch-ups go on. */
    boolean isTakingIn() {
        return open && takingIn;
    }

    Ownership ownership() {
        return ownership;
    }

    @Override
    public long nextSeq(String subscriptionId) {
        return numbers.next(subscriptionId);
    }

    <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    /** Where the head is to be read on; null: from now on, because nobody has been here before. */
    @Nullable
    ProgressMarker readOn() {
        return locked(() -> head.isNowhere() ? null : head.marker());
    }

    /** The first batch of a partition nobody has worked on says where now was. */
    void begin(EventFeed.Batch first) {
        locked(() -> {
            if (head.isNowhere()) {
                head.move(first.passed());
                for (int k = first.events().size() - 1; k >= 0; k--) {
                    ChangeEvent event = first.events().get(k).event();
                    head.move(event.backend(), before(event.clusterTime()));
                }
            }
        });
    }

    /** Until this is called everything may have been sent before. */
    void headAtClaim(ProgressMarker now) {
        locked(() -> {
            claimedAt.raise(Positions.of(now));
            knowsHeadAtClaim = true;
        });
    }

    private static EventId before(ClusterTime time) {
        return new EventId(time, 0);
    }

    /**
     * One event of the head: matched, and handed to everybody it concerns.
     *
     * @param matching is told of which gateways nobody may stand for others
     */
    void take(ChangeEvent event, Function<Predicate<String>, List<Match>> matching) {
        locked(() -> {
            if (!isTakingIn()) {
                return;
            }
            long now = around.turns().nanos();
            if (dedup.contains(event.id(), now)) {
                around.counters().duplicates.increment();
                head.move(event.backend(), event.id());
                return;
            }
            if (head.at(event.backend()) == null) {
                head.move(event.backend(), before(event.clusterTime()));
            }
            List<Match> matches = matching.apply(gateway -> tellsEach(gateway, event));
            if (matches.stream().anyMatch(each -> isOutOfPlace(each, event))) {
                matches = matching.apply(gateway -> true);
            }
            route(event, matches);
            head.move(event.backend(), event.id());
            births.headMoved();
            ordinal++;
            dedup.mark(event.id(), now);
        });
    }

    private void route(ChangeEvent event, List<Match> matches) {
        around.counters().events.increment();
        around.counters().matches.add(matches.size());
        if (event.operation() == Operation.RESYNC) {
            announceGap(event);
        }
        for (Match match : matches) {
            Subscription subscription = match.subscription();
            if (starts.serves(subscription.id(), event) || births.isBefore(subscription.id(), event)) {
                continue;
            }
            if (around.router().isBroadcast(subscription)) {
                around.router().audience(subscription).forEach(owner -> gather(owner, Priority.LOW, match));
            } else {
                gather(Router.owner(subscription), subscription.priority(), match);
            }
        }
        OutgoingEvent outgoing = new OutgoingEvent(event);
        for (LaneProgress progress : touched) {
            hand(progress, event, outgoing);
            progress.gathered.clear();
        }
        touched.clear();
    }

    /**
     * Whether an event of which nobody can know whom it concerns is to be told to each of this gateway, and not to one for
     * all: because some of them do not stand where their class stands, or another gateway may get it.
     */
    boolean tellsEach(String gateway, ChangeEvent event) {
        return locked(() -> around.router().isServedByOthers(gateway)
                || starts.serveSome(gateway, event)
                || births.isBeforeSome(gateway, event));
    }

    /** It stands for others and is just leaving them: the index does not know yet. */
    private boolean isOutOfPlace(Match match, ChangeEvent event) {
        String id = match.subscription().id();
        return match.kind() == MatchKind.UNKNOWN && (starts.serves(id, event) || births.isBefore(id, event));
    }

    private void announceGap(ChangeEvent event) {
        around.counters().gaps.increment();
        classes.values().stream().filter(LaneProgress::isBehind).forEach(mustResync::add);
        starts.all().stream().filter(LaneProgress::isBehind).forEach(mustResync::add);
        LOG.atError()
                .addKeyValue("partition", partition())
                .addKeyValue("event", event.id())
                .addKeyValue("collection", event.collection())
                .log("changes are missing: every subscription concerned is told to resync");
    }

    private void gather(String owner, Priority priority, Match match) {
        LaneProgress progress = progress(new SavedPosition.LaneKey(owner, priority));
        if (progress.gathered.isEmpty()) {
            touched.add(progress);
        }
        progress.gathered.add(match);
    }

    private LaneProgress progress(SavedPosition.LaneKey key) {
        return classes.computeIfAbsent(key, none -> new LaneProgress(key.owner(), key.priority(), null));
    }

    private void hand(LaneProgress progress, ChangeEvent event, OutgoingEvent outgoing) {
        if (progress.isBehind() || progress.has(event)) {
            return;
        }
        progress.gathered.forEach(match -> starts.tidy(match.subscription().id()));
        Lane lane = around.lanes().serving(progress.owner);
        Lane.Room room = lane == null ? Lane.Room.UNREACHABLE : lane.room(progress.priority);
        if (lane == null || room != Lane.Room.YES) {
            fallBehind(progress, progress.given(head), room);
        } else {
            give(progress, lane, event, outgoing, ordinal);
        }
    }

    private void give(LaneProgress progress, Lane lane, ChangeEvent event, OutgoingEvent outgoing, long number) {
        EventId before = progress.given(event.backend(), head);
        boolean resync = event.operation() == Operation.RESYNC;
        Pending pending = new Pending(
                progress,
                event.backend(),
                before == null ? before(event.clusterTime()) : before,
                number,
                resync,
                progress.gathered.size());
        resyncs += resync ? 1 : 0;
        put(progress, lane, pending, outgoing, claimedAt.at(event.backend()));
    }

    private void put(
            LaneProgress progress, Lane lane, Pending pending, OutgoingEvent outgoing, @Nullable EventId claimed) {
        ChangeEvent event = outgoing.event();
        boolean again = !knowsHeadAtClaim
                || (claimed != null && event.clusterTime().compareTo(claimed.time()) <= 0)
                || progress.mayHaveHad(event);
        long now = around.turns().nanos();
        List<Owed> owed = new ArrayList<>(progress.gathered.size());
        for (Match match : progress.gathered) {
            String id = match.subscription().id();
            owed.add(new Owed(
                    this,
                    pending,
                    id,
                    progress.priority,
                    type(match.kind(), event),
                    outgoing,
                    again,
                    match.kind() == MatchKind.UNKNOWN,
                    null,
                    now));
        }
        progress.add(pending);
        around.counters().routed.add(owed.size());
        (lane.add(owed) ? fullLanes : filledLanes).add(lane);
    }

    private static EventType type(MatchKind kind, ChangeEvent event) {
        return switch (kind) {
            case ENTER -> EventType.ENTER;
            case LEAVE -> EventType.LEAVE;
            case EXACT, UNKNOWN, POSSIBLE, CONTROL -> EventType.of(event.operation());
        };
    }

    private void fallBehind(LaneProgress progress, Positions at, Lane.@Nullable Room why) {
        progress.fallBehind(at, around.turns().now());
        if (why != null) {
            around.counters().fellBehind(why);
            LOG.atInfo()
                    .addKeyValue("partition", partition())
                    .addKeyValue("lane", progress)
                    .addKeyValue("why", why)
                    .log("a lane falls behind: it is read again from its position");
        }
        catchUp(progress);
    }

    private void catchUp(LaneProgress progress) {
        if (progress.catchUp == null || progress.catchUp.isOver()) {
            progress.catchUp = new CatchUp(this, progress, around);
            progress.catchUp.start();
        }
    }

    /** Lanes with a full batch, or with anything new. They are to be pumped when the lock is free. */
    List<Lane> takeLanesToPump(boolean all) {
        return locked(() -> {
            List<Lane> lanes = new ArrayList<>(fullLanes);
            fullLanes.clear();
            if (all) {
                lanes.addAll(filledLanes);
                filledLanes.clear();
            }
            return lanes;
        });
    }

    void passed(ProgressMarker marker) {
        locked(() -> {
            // Events of the batch that came too late to be taken lie before it.
            if (isTakingIn()) {
                head.move(marker);
                births.headMoved();
            }
        });
    }

    // What is read again.

    /** What became of an event that a catch-up offers. */
    enum Offer {
        TAKEN,
        NO_ROOM,
        /** The position was put back meanwhile, or nobody wants it: what has been read is void. */
        VOID,
        /** Somebody stands for others in it, and may not: it is to be matched for each. */
        MATCH_EACH
    }

    /** @param putBack how often the progress had been put back when the event was asked for */
    Offer takeAgain(LaneProgress progress, int putBack, ChangeEvent event, List<Match> matches) {
        return locked(() -> {
            Positions behind = progress.behind();
            if (!isTakingIn() || behind == null || progress.timesPutBack() != putBack) {
                return Offer.VOID;
            }
            for (Match match : matches) {
                if (match.kind() == MatchKind.UNKNOWN
                        && Router.owner(match.subscription()).equals(Router.subject(progress.owner))
                        && (tellsEach(Router.subject(progress.owner), event) || isOutOfPlace(match, event))) {
                    progress.gathered.clear();
                    return Offer.MATCH_EACH;
                }
                if (isFor(progress, match.subscription(), event)) {
                    progress.gathered.add(match);
                }
            }
            Lane lane = around.lanes().serving(progress.owner);
            if (!progress.gathered.isEmpty()
                    && (lane == null || !lane.hasRoomToCatchUp(progress.priority) || isOvertaking(progress, lane))) {
                progress.gathered.clear();
                return Offer.NO_ROOM;
            }
            if (lane != null && !progress.gathered.isEmpty()) {
                give(progress, lane, event, new OutgoingEvent(event), Pending.REREAD);
                progress.gathered.clear();
            }
            behind.move(event.backend(), event.id());
            return Offer.TAKEN;
        });
    }

    /**
     * Those that begin anew may have something on its way from before, or somebody who stands for them has: that comes
     * first, whatever class it is in.
     */
    private boolean isOvertaking(LaneProgress progress, Lane lane) {
        Map<String, Positions> starting = progress.starting;
        if (starting == null || !progress.mayOvertake) {
            return false;
        }
        progress.mayOvertake = !lane.pending(each -> each.sender == this
                        && each.pending != null
                        && each.pending.progress != progress
                        && (each.representative
                                ? each.priority == progress.priority || each.pending.progress == progress.after
                                : starting.containsKey(each.subscriptionId)))
                .isEmpty();
        if (!progress.mayOvertake) {
            progress.after = null;
        }
        return progress.mayOvertake;
    }

    private boolean isFor(LaneProgress progress, Subscription subscription, ChangeEvent event) {
        if (progress.starting != null) {
            Positions from = progress.starting.get(subscription.id());
            return from != null && !from.covers(event);
        }
        return !starts.serves(subscription.id(), event)
                && !births.isBefore(subscription.id(), event)
                && around.router().leads(subscription, progress.owner, progress.priority);
    }

    /** Everything up to the marker has been taken again. Returns whether the progress is at the head now. */
    boolean passedAgain(LaneProgress progress, int putBack, ProgressMarker marker) {
        return locked(() -> {
            Positions behind = progress.behind();
            if (!isTakingIn() || behind == null || progress.timesPutBack() != putBack) {
                return false;
            }
            behind.move(marker);
            Lane lane = around.lanes().serving(progress.owner);
            if (!behind.reaches(head) || isAheadOf(progress, behind) || lane == null || isOvertaking(progress, lane)) {
                return false;
            }
            progress.rejoin();
            mustResync.remove(progress);
            around.counters().caughtUp.increment();
            return true;
        });
    }

    /** Its class has been read further, without the subscriptions that begin in the past: they must come so far first. */
    private boolean isAheadOf(LaneProgress start, Positions at) {
        LaneProgress usual = classes.get(new SavedPosition.LaneKey(start.owner, start.priority));
        return start.starting != null && usual != null && !at.reaches(usual.given(head));
    }

    /** Which of them the progress is for, so that they can be told of a gap. */
    List<Subscription> ofProgress(LaneProgress progress, List<Subscription> candidates, Positions oldest) {
        return locked(() -> candidates.stream()
                .filter(each -> isOwn(progress, each, oldest))
                .toList());
    }

    private boolean isOwn(LaneProgress progress, Subscription subscription, Positions oldest) {
        if (progress.starting != null) {
            Positions from = progress.starting.get(subscription.id());
            return from != null && !from.reaches(oldest);
        }
        LaneProgress start = starts.of(subscription.id());
        return (start == null || !start.isBehind())
                && around.router().leads(subscription, progress.owner, progress.priority);
    }

    /** Tells them that what they were owed is gone. Returns whether there was room for it. */
    boolean tellGap(LaneProgress progress, int putBack, ChangeEvent resync, List<Subscription> concerned) {
        return locked(() -> {
            Positions behind = progress.behind();
            Lane lane = around.lanes().serving(progress.owner);
            if (!isTakingIn() || behind == null || progress.timesPutBack() != putBack || lane == null) {
                return false;
            }
            if (!lane.hasRoomToCatchUp(progress.priority) || isOvertaking(progress, lane)) {
                return false;
            }
            concerned.forEach(each -> progress.gathered.add(new Match(each, MatchKind.CONTROL)));
            resyncs++;
            Pending pending = Pending.gap(progress, behind.copy(), concerned.size());
            put(progress, lane, pending, new OutgoingEvent(resync), null);
            progress.gathered.clear();
            around.counters().resyncs.add(concerned.size());
            return true;
        });
    }

    void jump(LaneProgress progress, int putBack, Positions to) {
        locked(() -> {
            Positions behind = progress.behind();
            if (behind != null && progress.timesPutBack() == putBack) {
                behind.raise(to);
            }
        });
    }

    /** What the head was about to read is gone: everybody falls behind, and will be told when they are read again. */
    void headLost(Set<SavedPosition.LaneKey> concerned, ProgressMarker oldest) {
        locked(() -> {
            around.counters().gaps.increment();
            Set<SavedPosition.LaneKey> all = new LinkedHashSet<>(classes.keySet());
            all.addAll(concerned);
            for (SavedPosition.LaneKey key : all) {
                LaneProgress progress = progress(key);
                if (!progress.isBehind()) {
                    fallBehind(progress, progress.given(head), null);
                }
                mustResync.add(progress);
            }
            Positions to = Positions.of(oldest);
            head.raise(to);
        });
    }

    // Subscriptions and gateways that come, change and go.

    /**
     * They may be somewhere else after a crash: what they are owed is theirs there. Returns whether that must be saved.
     */
    boolean hold(Collection<Replacement> moving) {
        return locked(() -> {
            boolean holds = false;
            for (Replacement each : moving) {
                Subscription earlier = each.earlier();
                String id = each.later().id();
                if (each.restarts() && report.names(id)) {
                    held.put(id, each.later().from().orElse(ProgressMarker.NOWHERE));
                    holds = true;
                } else if (!each.restarts() && earlier != null && !head.isNowhere()) {
                    held.put(id, lowWaterOf(earlier).beforeItsTimes().marker());
                    holds = true;
                }
            }
            return holds;
        });
    }

    void release(Collection<Replacement> staying) {
        locked(() -> staying.forEach(each -> held.remove(each.later().id())));
    }

    /** Before the index shows it. Returns whether it stands elsewhere than its class: that must be saved before others know. */
    boolean beforeAdd(Subscription subscription, @Nullable Subscription earlier) {
        return locked(() -> {
            boolean restarts = new Replacement(earlier, subscription).restarts();
            boolean moves = earlier != null && !Router.owner(subscription).equals(Router.owner(earlier));
            held.remove(subscription.id());
            if (around.router().isBroadcast(subscription)) {
                broadcasts.add(subscription);
            }
            if (restarts) {
                if (earlier != null) {
                    withdraw(earlier);
                }
                start(subscription, Positions.of(subscription.from().get()));
                return true;
            }
            if (earlier != null && !moves && around.router().isBroadcast(subscription)) {
                births.changed(subscription);
                return false;
            }
            if (earlier != null && earlier.priority() != subscription.priority() && !moves) {
                changeClass(earlier, subscription);
                return true;
            }
            if (earlier != null && moves) {
                // Its new gateway has had nothing: where it begins must be sure, or it might begin earlier after a
                // crash.
                Positions at = lowWaterOf(earlier).beforeItsTimes();
                withdraw(earlier);
                start(subscription, at);
                return true;
            }
            if (earlier == null && !head.isNowhere()) {
                births.newcomer(subscription, head);
            }
            return false;
        });
    }

    /** What the old class was given of it goes on; the new one begins behind that, when it is done. */
    private void changeClass(Subscription earlier, Subscription subscription) {
        Positions low = lowWaterOf(earlier);
        LaneProgress old = classes.get(new SavedPosition.LaneKey(Router.owner(earlier), earlier.priority()));
        LaneProgress start = starts.of(earlier.id());
        if (old == null || start != null && (start.isBehind() || start.unacknowledged() > 0)) {
            withdraw(earlier);
            start(subscription, low);
            return;
        }
        begin(subscription, low, old.given(head), old);
    }

    /** Begins it in the past; for one that is being restored as well. */
    void start(Subscription subscription, Positions at) {
        locked(() -> {
            if (around.router().isBroadcast(subscription)) {
                broadcast(subscription, at);
            } else {
                begin(subscription, at, at, null);
            }
        });
    }

    /** Everybody who hears it is read again from there: those it shares that with may get some of theirs again. */
    private void broadcast(Subscription subscription, Positions at) {
        starts.forget(subscription.id());
        births.put(subscription, at);
        broadcasts.lower(Router.owner(subscription), at);
        startedAtOnce.add(subscription.id());
    }

    private void begin(Subscription subscription, Positions birth, Positions at, @Nullable LaneProgress after) {
        births.put(subscription, birth);
        LaneProgress fresh =
                starts.begin(subscription, at.copy(), after, around.turns().now());
        if (fresh != null) {
            catchUp(fresh);
        }
    }

    /** What the subscription has not acknowledged is behind it. */
    private Positions lowWaterOf(Subscription subscription) {
        LaneProgress start = starts.of(subscription.id());
        LaneProgress usual =
                classes.get(new SavedPosition.LaneKey(Router.owner(subscription), subscription.priority()));
        if (start != null && (start.isBehind() || start.unacknowledged() > 0)) {
            return births.notBefore(subscription.id(), startOf(start));
        }
        if (around.router().isBroadcast(subscription)) {
            Positions done = broadcasts.done(Router.owner(subscription));
            return births.notBefore(subscription.id(), done == null ? head.copy() : done.copy());
        }
        if (usual == null) {
            return births.notBefore(subscription.id(), head.copy());
        }
        Lane lane = around.lanes().serving(usual.owner);
        Set<Pending> mine =
                lane == null ? Set.of() : lane.pending(each -> each.sender == this && isOf(subscription, each));
        Positions low = usual.lowWater(head, each -> lane == null || mine.contains(each));
        return births.notBefore(subscription.id(), low);
    }

    /** It is the subscription's own, or may stand for it. */
    private static boolean isOf(Subscription subscription, Owed owed) {
        return owed.subscriptionId.equals(subscription.id())
                || owed.representative && owed.event.event().collection().equals(subscription.collection());
    }

    /** What waits of it is not sent any more, unless it stands for others, too. Returns how many matches that were. */
    private int withdraw(Subscription subscription) {
        List<Owed> withdrawn = new ArrayList<>();
        Lane lane = around.lanes().serving(Router.owner(subscription));
        for (Lane each : lane == null ? around.lanes().all() : List.of(lane)) {
            withdrawn.addAll(each.remove(owed ->
                    owed.sender == this && owed.subscriptionId.equals(subscription.id()) && !owed.representative));
        }
        count(withdrawn);
        return withdrawn.size();
    }

    void ended(Subscription subscription) {
        int dropped = locked(() -> {
            held.remove(subscription.id());
            starts.forget(subscription.id());
            births.forget(subscription.id());
            numbers.end(subscription.id());
            return withdraw(subscription);
        });
        around.counters().dropped.add(dropped);
        if (dropped > 0) {
            LOG.atInfo()
                    .addKeyValue("partition", partition())
                    .addKeyValue("subscription", subscription.id())
                    .addKeyValue("matches", dropped)
                    .log("a subscription ended while matches were on their way: they are dropped");
        }
    }

    void beforeReroute() {
        locked(broadcasts::beforeChange);
    }

    /**
     * Other gateways serve these owners now: what is not acknowledged is read again for them.
     *
     * @param theirs those that were or are to be broadcast, with the priorities of their subscriptions
     */
    void served(List<String> owners, Set<String> without, Map<String, Set<Priority>> theirs) {
        locked(() -> {
            List<LaneProgress> all = new ArrayList<>(starts.all());
            all.addAll(classes.values());
            for (LaneProgress progress : all) {
                if (without.contains(progress.owner)) {
                    discard(progress);
                } else if (owners.contains(progress.owner)) {
                    putBack(progress, startOf(progress));
                }
            }
            if (around.router().broadcasts()) {
                broadcasts.settle(theirs);
            }
        });
    }

    void restoreBroadcasts(Map<String, Set<Priority>> theirs) {
        locked(() -> {
            if (around.router().broadcasts() && !head.isNowhere()) {
                broadcasts.restored(theirs);
            }
        });
    }

    // For broadcasts, which hold the lock.

    List<LaneProgress> classes() {
        return List.copyOf(classes.values());
    }

    List<LaneProgress> starting() {
        return starts.all();
    }

    /** All that stand for this owner, or for some of its subscriptions. */
    List<LaneProgress> of(String owner) {
        List<LaneProgress> found = new ArrayList<>(starts.all());
        found.addAll(classes.values());
        found.removeIf(each -> !each.owner.equals(owner));
        return found;
    }

    boolean has(SavedPosition.LaneKey key) {
        return classes.containsKey(key);
    }

    Positions headNow() {
        return head.copy();
    }

    Positions lowWater(LaneProgress progress) {
        return progress.lowWater(head);
    }

    void putBack(LaneProgress progress, Positions to) {
        resyncs -= progress.putBack(to, around.turns().now());
        catchUp(progress);
    }

    /** It is read again from there, unless it has not been read so far. */
    void lower(SavedPosition.LaneKey key, Positions to) {
        boolean fresh = !classes.containsKey(key);
        LaneProgress progress = progress(key);
        Positions behind = progress.behind();
        if (fresh || !to.reaches(behind == null ? head : behind)) {
            Positions at = fresh && head.isNowhere() ? to.copy() : progress.lowWater(head);
            at.lower(to);
            if (!fresh) {
                progress.mayRepeat(head);
            }
            putBack(progress, at);
        }
    }

    /** Others stand for those it stood for. */
    void discard(LaneProgress progress) {
        if (progress.starting != null) {
            startedAtOnce.addAll(progress.starting.keySet());
        }
        resyncs -= progress.putBack(startOf(progress), around.turns().now());
        drop(progress);
    }

    private void drop(LaneProgress progress) {
        progress.drop();
        mustResync.remove(progress);
        classes.remove(new SavedPosition.LaneKey(progress.owner, progress.priority), progress);
        starts.drop(progress);
    }

    /** Whether anybody is served by it; if not, it is over. */
    boolean isNeeded(LaneProgress progress) {
        return locked(() -> {
            boolean needed = isTakingIn()
                    && progress.isBehind()
                    && !progress.isDropped()
                    && (progress.starting == null || !progress.starting.isEmpty() || progress.unacknowledged() > 0);
            if (!needed && progress.isBehind() && progress.starting != null && isTakingIn()) {
                drop(progress);
            }
            return needed;
        });
    }

    void wakeCatchUps() {
        locked(() -> {
            classes.values().forEach(LaneProgress::wake);
            starts.each(LaneProgress::wake);
        });
    }

    // Acknowledgements and positions.

    @Override
    public void settled(List<Owed> done) {
        locked(() -> count(done));
        report.ifDue();
    }

    private void count(List<Owed> done) {
        for (Owed owed : done) {
            Pending pending = owed.pending;
            if (pending == null || pending.voided) {
                continue;
            }
            acknowledged++;
            if (pending.progress.acknowledge(pending) && pending.resync) {
                resyncs--;
            }
        }
    }

    /** Those that began in the past, are at the head and have nothing on its way; each is named once. */
    List<String> takeStarted() {
        return locked(() -> {
            List<String> started = new ArrayList<>(startedAtOnce);
            startedAtOnce.clear();
            for (LaneProgress each : starts.takeFinished()) {
                if (each.starting != null) {
                    started.addAll(each.starting.keySet());
                }
            }
            return started;
        });
    }

    void started(Collection<String> subscriptionIds) {
        locked(() -> subscriptionIds.forEach(births::started));
    }

    boolean takeUnsavedBirths() {
        return locked(births::takeUnsaved);
    }

    /** How many matches have been acknowledged since the claim. */
    long acknowledged() {
        return locked(() -> acknowledged);
    }

    /** What may be saved now; null while it is not known where the head is. */
    @Nullable
    SavedPosition saved() {
        return locked(() -> head.isNowhere() ? null : savedNow());
    }

    /**
     * Where those begin who are not named never goes back: one of them may have another gateway since, which would get what
     * the one before had, behind what it has itself.
     */
    private SavedPosition savedNow() {
        Positions low = head.copy();
        Map<SavedPosition.LaneKey, ProgressMarker> behind = new LinkedHashMap<>();
        classes.forEach((key, progress) -> {
            Positions mine = progress.lowWater(head);
            if (isFar(progress) || !mine.reaches(savedLow)) {
                behind.put(key, mine.marker());
            } else {
                low.lower(mine);
            }
        });
        // Of two ids of one time nobody knows the order.
        low.raise(savedLow);
        savedLow = low.copy();
        classes.forEach((key, progress) -> {
            Positions at = progress.savedApart(low, head);
            if (at != null && !behind.containsKey(key)) {
                behind.put(key, at.marker());
            }
        });
        broadcasts.eachOwner((key, at) -> {
            if (!at.reaches(low)) {
                behind.putIfAbsent(key, at.marker());
            }
        });
        Map<String, ProgressMarker> starting = new LinkedHashMap<>();
        starts.each(progress -> {
            if (progress.starting != null && (progress.isBehind() || progress.unacknowledged() > 0)) {
                Positions at = startOf(progress);
                progress.starting
                        .keySet()
                        .forEach(id -> starting.put(id, births.notBefore(id, at).marker()));
            }
        });
        starting.putAll(held);
        births.each((id, birth) -> addBirth(id, birth, low, behind, starting));
        Positions told = head.copy();
        told.raise(claimedAt);
        return new SavedPosition(told.marker(), low.marker(), behind, starting);
    }

    /** Where it is to be read on. When a start has come to the head, what follows is its class's to give. */
    Positions startOf(LaneProgress progress) {
        Positions low = progress.lowWater(head);
        LaneProgress usual = classes.get(new SavedPosition.LaneKey(progress.owner, progress.priority));
        if (usual != null && usual != progress && !progress.isBehind()) {
            low.lower(usual.lowWater(head));
        }
        if (progress.after != null) {
            low.lower(progress.after.lowWater(head));
        }
        return low;
    }

    /** It is named as long as its class would begin before its birth. */
    private void addBirth(
            String id,
            Births.Birth birth,
            Positions low,
            Map<SavedPosition.LaneKey, ProgressMarker> behind,
            Map<String, ProgressMarker> starting) {
        if (starting.containsKey(id)) {
            return;
        }
        ProgressMarker lane = behind.get(birth.key());
        Positions at = lane == null ? low.copy() : Positions.of(lane);
        if (at.reaches(birth.at()) && !birth.asked()) {
            births.forget(id);
        } else {
            at.raise(birth.at());
            starting.put(id, at.marker());
        }
    }

    private boolean isFar(LaneProgress progress) {
        Long first = progress.firstOrdinal();
        return progress.isBehind() || first != null && (first == Pending.REREAD || ordinal - first > FAR);
    }

    /** How far these owners have acknowledged everything; null while that is not known. */
    @Nullable
    Positions lowWater(Predicate<String> owners) {
        return locked(() -> {
            if (head.isNowhere()) {
                return null;
            }
            Positions low = head.copy();
            Consumer<LaneProgress> include = progress -> {
                if (owners.test(progress.owner)) {
                    low.lower(progress.lowWater(head));
                }
            };
            classes.values().forEach(include);
            starts.each(include);
            return low;
        });
    }

    @Override
    public void fenced(String gatewayId, String reason, Consumer<Boolean> stillOurs) {
        LOG.atWarn()
                .addKeyValue("partition", partition())
                .addKeyValue("gateway", gatewayId)
                .addKeyValue("token", token())
                .addKeyValue("reason", reason)
                .log("a gateway knows a newer owner of the partition: the claim decides");
        around.turns().after(Duration.ZERO, () -> {
            boolean ours = report.proves();
            if (!ours) {
                close();
                around.lanes().sweep();
            }
            stillOurs.accept(ours);
        });
    }

    /** Nothing new is taken in; what is on its way goes on. */
    void stopTakingIn() {
        takingIn = false;
    }

    /** It is not ours any more: what is on its way counts for nothing. */
    void close() {
        open = false;
    }

    boolean isStale() {
        return locked(() -> resyncs > 0 || !mustResync.isEmpty());
    }

    long unacknowledged() {
        return locked(() -> {
            long[] sum = new long[1];
            classes.values().forEach(each -> sum[0] += each.unacknowledged());
            starts.each(each -> sum[0] += each.unacknowledged());
            return sum[0];
        });
    }

    int remembered() {
        return locked(dedup::size);
    }

    /** Those that are behind, by owner. */
    Map<String, List<StreamerStatus.Behind>> behind() {
        return locked(() -> {
            Map<String, List<StreamerStatus.Behind>> behind = new HashMap<>();
            Consumer<LaneProgress> include = progress -> {
                Positions at = progress.behind();
                if (at != null) {
                    behind.computeIfAbsent(progress.owner, none -> new ArrayList<>())
                            .add(new StreamerStatus.Behind(
                                    partition(),
                                    progress.priority,
                                    progress.since(),
                                    at.marker().encode()));
                }
            };
            classes.values().forEach(include);
            starts.each(include);
            return behind;
        });
    }
}
