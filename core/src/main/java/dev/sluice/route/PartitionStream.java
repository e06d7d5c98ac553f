package dev.sluice.route;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.RecentEvents;
import dev.sluice.feed.ResolvedIds;
import dev.sluice.feed.StreamId;
import dev.sluice.lane.Awaited;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stream of an owned partition: its tail, its groups, and its two readers, one at the tail and one for the groups behind
 * it. For the partition's thread.
 */
final class PartitionStream {
    private static final int TAIL_EVENTS = 500;
    private static final long READ_BYTES = 1 << 20;

    private final StreamId id;
    private final EventFeed feed;
    private final Runnable more;
    private final StreamGroups groups;
    private final CatchUpTurns catchUpTurns = new CatchUpTurns();
    private final RecentEvents recent;

    /** Events up to this time may have been sent before this claim. */
    private ClusterTime sentBefore;

    private final SentReservation sent;
    private long identity;
    private Position head;
    private Position oldest;

    /** The highest start of a subscription: up to there, one delete may not stand for many. */
    private Position highestStart = Position.START;

    private EventFeed.@Nullable Reader tailReader;
    private EventFeed.@Nullable Reader catchUpReader;
    private Position catchUpAt = Position.START;

    /** Events that the tail's reader has read and that were not offered yet. */
    private final ArrayDeque<FeedEvent> unoffered = new ArrayDeque<>();

    private Position passed;
    private long sourceTime;

    private final StreamRest rest = new StreamRest();

    /**
     * @param tail where the stream is read on
     * @param sent events up to this time may have been sent before
     * @param more is called when there may be something to read
     */
    PartitionStream(StreamId id, EventFeed feed, LogHead log, Position tail, ClusterTime sent, Runnable more) {
        this.id = id;
        this.feed = feed;
        this.more = more;
        this.identity = log.identity();
        this.head = log.head();
        this.oldest = log.oldest();
        this.groups = new StreamGroups(tail, catchUpTurns);
        this.recent = new RecentEvents(tail);
        this.sentBefore = sent;
        this.sent = new SentReservation(sent);
        this.passed = tail;
    }

    StreamId id() {
        return id;
    }

    String log() {
        return id.log();
    }

    long identity() {
        return identity;
    }

    StreamGroups groups() {
        return groups;
    }

    RecentEvents recent() {
        return recent;
    }

    SentReservation sent() {
        return sent;
    }

    Position tail() {
        return groups.tail();
    }

    /** The log's head, as far as it was heard of. */
    Position head() {
        return head;
    }

    long sourceTime() {
        return sourceTime;
    }

    boolean mayHaveBeenSent(Position position) {
        return position.time().compareTo(sentBefore) <= 0;
    }

    StreamRest rest() {
        return rest;
    }

    // Places of subscriptions in this stream.

    /** Where a place of the registry is here. A log that is not named stands at its oldest event. */
    Position position(Places places) {
        Places.Place place = places.of(log());
        if (place == null) {
            return oldest;
        }
        return place.identity() == identity
                ? place.position()
                : Position.before(place.position().time());
    }

    boolean isBehindStart(Position event, SubscriptionRecord subscription) {
        return position(subscription.start()).isBefore(event);
    }

    /** The subscription's start was applied. */
    void starts(Position at) {
        highestStart = Position.higher(highestStart, at);
    }

    boolean isBehindEveryStart(Position event) {
        return highestStart.isBefore(event);
    }

    // The tail.

    /** Reads on at the tail, unless what was read is not offered yet. */
    void readTail() {
        if (!unoffered.isEmpty()) {
            return;
        }
        EventFeed.Reader reader = tailReader;
        if (reader == null) {
            reader = feed.open("streamer-" + id.partition(), id, identity, tail(), more);
            tailReader = reader;
        }
        EventFeed.Batch batch = reader.read(TAIL_EVENTS, READ_BYTES);
        unoffered.addAll(batch.events());
        passed = Position.higher(passed, batch.passed());
        head = Position.higher(head, batch.head());
        sourceTime = batch.sourceTime() == 0 ? sourceTime : batch.sourceTime();
        if (unoffered.isEmpty()) {
            groups.moveTail(passed);
        }
    }

    /** The next event of the tail that is to be offered; null: all were. */
    @Nullable
    FeedEvent nextAtTail() {
        return unoffered.peekFirst();
    }

    int unoffered() {
        return unoffered.size();
    }

    /** The latest cluster time among the next events of the tail. */
    ClusterTime timeOfNext(int events) {
        ClusterTime time = ClusterTime.ZERO;
        int left = events;
        for (FeedEvent each : unoffered) {
            if (left-- == 0) {
                break;
            }
            time = each.position().time();
        }
        return time;
    }

    /** The event was offered to every group at the tail. */
    void offered(FeedEvent event) {
        unoffered.removeFirst();
        recent.add(event);
        groups.moveTail(event.position());
        if (unoffered.isEmpty()) {
            groups.moveTail(passed);
        }
    }

    /** The events behind the tail are no longer kept. */
    void jumpTo(Position oldestKept) {
        oldest = Position.higher(oldest, oldestKept);
        passed = Position.higher(passed, oldestKept);
        groups.moveTail(oldestKept);
        recent.restart(tail());
        closeReaders();
    }

    // The groups behind the tail.

    CatchUpTurns catchUpTurns() {
        return catchUpTurns;
    }

    /** Reads events behind a place, for the groups that are behind the tail. */
    EventFeed.Batch readBehind(Position after, int most) {
        if (catchUpReader == null || after.compareTo(catchUpAt) != 0) {
            closeCatchUp();
            catchUpReader = feed.open("catch-up-" + id.partition(), id, identity, after, more);
            catchUpAt = after;
        }
        EventFeed.Batch batch = catchUpReader.read(most, READ_BYTES);
        catchUpAt = Position.higher(catchUpAt, batch.passed());
        return batch;
    }

    /** Where the reader for groups behind stands; null: there is none. */
    @Nullable
    Position catchUpAt() {
        return catchUpReader == null ? null : catchUpAt;
    }

    void closeCatchUp() {
        EventFeed.Reader open = catchUpReader;
        catchUpReader = null;
        if (open != null) {
            open.close();
        }
    }

    /** A reader that threw is not used again; events that were read and not offered are read again. */
    void closeReaders() {
        EventFeed.Reader open = tailReader;
        tailReader = null;
        unoffered.clear();
        passed = tail();
        if (open != null) {
            open.close();
        }
        closeCatchUp();
    }

    /** The places that are to be resolved when the log has another identity. */
    List<Position> places() {
        List<Position> places = new ArrayList<>();
        groups.forEach(group -> places.add(group.acked(tail())));
        places.add(tail());
        return places;
    }

    /**
     * The log has another identity: every place is now where its id was found. Every group goes back to its {@code acked}; the
     * caller has withdrawn what was handed over.
     */
    void resolveAnew(LogHead log, ResolvedIds resolved, long now) {
        closeReaders();
        Position newTail = resolved.of(tail());
        List<Group> all = groups.all().toList();
        for (Group group : all) {
            Position given = Position.higher(group.given(), group.reached(tail()));
            Position place = Position.lower(resolved.of(group.acked(tail())), newTail);
            group.putBack(place, tail(), new Awaited(), now);
            group.replaceGiven(Position.behind(given.time()));
        }
        sentBefore = tail().time().compareTo(sentBefore) > 0 ? tail().time() : sentBefore;
        groups.replaceTail(newTail);
        identity = log.identity();
        head = log.head();
        oldest = log.oldest();
        passed = newTail;
        highestStart = Position.behind(highestStart.time());
        recent.restart(newTail);
    }
}
