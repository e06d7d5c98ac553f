package dev.sluice.route;

import dev.sluice.match.Matcher;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one class of one gateway again from where it is, in order, and for it alone: as fast as its lane has room and no
 * faster, until it is at the head. What it needed is no longer kept: its subscriptions are told to resync, and it goes on
 * from the oldest there is.
 */
final class CatchUp implements Turns.Step {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);
    private static final int MOST = 200;
    private static final int TOLD_AT_ONCE = 500;
    private static final int CHASES = 3;
    private static final int LAST_READS = 20;
    private static final Duration NO_GATEWAY = Duration.ofMillis(250);
    private static final Duration NO_ROOM = Duration.ofMillis(10);
    private static final Duration AT_THE_END = Duration.ofMillis(5);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    /** So often without room, and nothing is kept for it any more. */
    private static final int PATIENT = 100;

    /** So long it may read while others wait for a seat. */
    private static final Duration TURN = Duration.ofSeconds(2);

    private final Rereading rereading;
    private final LaneProgress progress;
    private final Surroundings around;
    private final Matcher matcher;
    private final List<Match> matches = new ArrayList<>();
    private final ArrayDeque<FeedEvent> read = new ArrayDeque<>();
    private final ArrayDeque<Subscription> toTell = new ArrayDeque<>();
    private EventFeed.@Nullable Reader reader;
    private @Nullable ProgressMarker passed;
    private @Nullable FeedOutOfRangeException gap;
    private Turns.@Nullable Loop loop;
    private volatile boolean begun;
    private volatile boolean over;
    private int putBack;
    private int chased;
    private int starved;
    private long seatedAt;

    CatchUp(Rereading rereading, LaneProgress progress, Surroundings around) {
        this.rereading = rereading;
        this.progress = progress;
        this.around = around;
        this.matcher = around.known().matcher();
    }

    void start() {
        loop = around.turns().background("catch-up-" + rereading.partition() + "-" + progress.owner, this);
    }

    void wake() {
        if (loop != null) {
            loop.wake();
        }
    }

    /** Whether it has begun to read: nobody can join who needs an earlier start. */
    boolean hasBegun() {
        return begun;
    }

    boolean isOver() {
        return over;
    }

    @Override
    public @Nullable Duration run() {
        if (over || !rereading.isNeeded(progress)) {
            return end();
        }
        Lane lane = around.lanes().serving(progress.owner);
        if (lane == null || !lane.isReachable()) {
            closeReader();
            return NO_GATEWAY;
        }
        if (!lane.hasRoomToCatchUp(progress.priority)) {
            return noRoom();
        }
        try {
            return toTell.isEmpty() && gap == null ? readOn() : tell();
        } catch (FeedOutOfRangeException e) {
            closeReader();
            fellOut(e);
            return Duration.ZERO;
        } catch (FeedUnavailableException e) {
            around.counters().restarts.increment();
            LOG.atDebug()
                    .addKeyValue("partition", rereading.partition())
                    .addKeyValue("lane", progress.owner)
                    .setCause(e)
                    .log("what a lane is owed cannot be read now and is tried again");
            closeReader();
            return AFTER_FAILURE;
        } catch (Throwable bug) {
            // The reader may be past what it did not return: the next step reads on from the lane's own position.
            around.counters().restarts.increment();
            LOG.atError()
                    .addKeyValue("partition", rereading.partition())
                    .addKeyValue("lane", progress)
                    .setCause(bug)
                    .log("a lane's backlog could not be handled and is read again");
            closeReader();
            return AFTER_FAILURE;
        } finally {
            // Also after a failure: what was handed over before it would wait for the next event.
            rereading.takeLanesToPump(true).forEach(Lane::pump);
        }
    }

    private @Nullable Duration end() {
        closeReader();
        over = true;
        return null;
    }

    /** What was read meanwhile is let go when that takes long: it is in the log. */
    private Duration noRoom() {
        if (++starved < PATIENT) {
            return NO_ROOM;
        }
        if (gap == null) {
            closeReader();
        }
        return NO_GATEWAY;
    }

    private @Nullable Duration readOn() {
        if (read.isEmpty() && !fill()) {
            return NO_ROOM;
        }
        Rereading.Offer offer = drain(Lane::pump);
        if (offer == Rereading.Offer.NO_ROOM) {
            return noRoom();
        }
        starved = 0;
        if (offer == Rereading.Offer.VOID) {
            closeReader();
            return Duration.ZERO;
        }
        if (join()) {
            return end();
        }
        boolean nearly = lastRead < MOST;
        chased = nearly ? chased + 1 : 0;
        if (chased >= CHASES && closeTheGap()) {
            return end();
        }
        if (around.turns().nanos() - seatedAt > TURN.toNanos()
                && around.lanes().seats().isWaitedFor()) {
            closeReader();
        }
        return nearly ? AT_THE_END : Duration.ZERO;
    }

    private int lastRead;

    private boolean fill() {
        open();
        EventFeed.Reader from = reader;
        if (from == null) {
            return false;
        }
        EventFeed.Batch batch = from.read(MOST, Duration.ZERO);
        lastRead = batch.events().size();
        around.counters().reread.add(lastRead);
        read.addAll(batch.events());
        passed = batch.passed();
        return true;
    }

    private void open() {
        if (reader == null && around.lanes().seats().take()) {
            try {
                sit();
            } finally {
                if (reader == null) {
                    around.lanes().seats().leave();
                }
            }
        }
    }

    private void sit() {
        ProgressMarker from = rereading.guard().locked(() -> {
            if (around.arriving().isAwaitedBy(progress.owner)) {
                return null;
            }
            begun = true;
            putBack = progress.timesPutBack();
            Positions behind = progress.behind();
            return behind == null ? null : behind.marker();
        });
        if (from != null) {
            seatedAt = around.turns().nanos();
            reader = around.feed()
                    .open(
                            "catch-up-" + rereading.partition() + "-" + progress.owner,
                            from,
                            rereading.partition(),
                            around.settings().partitions());
        }
    }

    /** @param filled gets lanes with a full batch; sending takes locks, so it is not done while one is held */
    private Rereading.Offer drain(Consumer<Lane> filled) {
        while (!read.isEmpty()) {
            FeedEvent next = read.getFirst();
            // Nobody stands for others among those that begin in the past: whoever does may not be one of them.
            Rereading.Offer offer = offer(next, progress.starting != null);
            if (offer == Rereading.Offer.MATCH_EACH) {
                offer = offer(next, true);
            }
            if (offer != Rereading.Offer.TAKEN) {
                return offer;
            }
            read.removeFirst();
            rereading.takeLanesToPump(false).forEach(filled);
        }
        return Rereading.Offer.TAKEN;
    }

    /** @param each nobody stands for others */
    private Rereading.Offer offer(FeedEvent event, boolean each) {
        matches.clear();
        PartitionLoop.collect(matcher, event, gateway -> each, matches, countedAtTheHead -> {});
        return rereading.take(progress, putBack, event.event(), matches);
    }

    private boolean join() {
        ProgressMarker to = passed;
        return to != null && rereading.passed(progress, putBack, to);
    }

    /** The head moves while it is being chased: it is held for the last few events. */
    private boolean closeTheGap() {
        chased = 0;
        Set<Lane> full = new LinkedHashSet<>();
        try {
            return rereading.guard().locked(() -> {
                for (int k = 0; k < LAST_READS; k++) {
                    if (!fill() || drain(full::add) != Rereading.Offer.TAKEN) {
                        return false;
                    }
                    if (join()) {
                        return true;
                    }
                }
                return false;
            });
        } finally {
            full.forEach(Lane::pump);
        }
    }

    // What it needed is gone.

    private void fellOut(FeedOutOfRangeException why) {
        gap = why;
        List<Subscription> candidates = new ArrayList<>();
        if (progress.starting != null) {
            List<String> ids = rereading.guard().locked(() -> List.copyOf(progress.starting.keySet()));
            ids.forEach(id -> around.known().find(id).ifPresent(candidates::add));
        } else {
            for (String gateway : around.known().gatewayIds()) {
                candidates.addAll(around.known().ofGateway(gateway));
            }
        }
        toTell.clear();
        toTell.addAll(rereading.concerned(progress, candidates, Positions.of(why.oldest())));
        around.counters().gaps.increment();
        LOG.atError()
                .addKeyValue("partition", rereading.partition())
                .addKeyValue("lane", progress)
                .addKeyValue("subscriptions", toTell.size())
                .addKeyValue("reason", why.getMessage())
                .log("a lane is behind what is kept: its subscriptions are told to resync");
    }

    private Duration tell() {
        FeedOutOfRangeException why = gap;
        if (why == null || rereading.guard().locked(progress::timesPutBack) != putBack) {
            closeReader();
            return Duration.ZERO;
        }
        if (toTell.isEmpty()) {
            rereading.jump(progress, putBack, Positions.of(why.oldest()));
            closeReader();
            return Duration.ZERO;
        }
        List<Subscription> some = toTell.stream().limit(TOLD_AT_ONCE).toList();
        // Who has ended, or gone elsewhere, since then is told there: from here it would come between what it gets
        // there.
        List<Subscription> now = new ArrayList<>();
        some.forEach(each -> around.known().find(each.id()).ifPresent(now::add));
        if (!rereading.tellGap(progress, putBack, resync(why.oldest()), now, Positions.of(why.oldest()))) {
            return NO_ROOM;
        }
        // Only now: whatever fails before, they are still to be told.
        some.forEach(told -> toTell.removeFirst());
        return Duration.ZERO;
    }

    /** The same gap of the same class has the same id, however often it is found and whoever is told. */
    private ChangeEvent resync(ProgressMarker oldest) {
        Map.Entry<String, EventId> where = oldest.positions().firstEntry();
        long hash = Fnv1a64.hash("resync/" + rereading.partition() + "/" + progress.owner.stored() + "/"
                + progress.priority.text() + "/" + oldest.encode());
        return new ChangeEvent(
                new EventId(where.getValue().time(), hash),
                where.getKey(),
                Operation.RESYNC,
                "",
                "",
                DocumentId.NONE,
                null,
                null,
                around.turns().now().toEpochMilli(),
                OptionalLong.empty(),
                false);
    }

    private void closeReader() {
        read.clear();
        passed = null;
        toTell.clear();
        gap = null;
        EventFeed.Reader open = reader;
        reader = null;
        if (open != null) {
            around.lanes().seats().leave();
            open.close();
        }
    }
}
