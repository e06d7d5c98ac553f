package dev.sluice.route;

import dev.sluice.lane.Awaited;
import dev.sluice.lane.GroupKey;
import dev.sluice.lane.Lane;
import dev.sluice.model.Position;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A delivery group: the subscriptions of one home and priority that share a cursor in one stream. The main group has all that
 * are in no side group. For the partition's thread.
 *
 * <p>Its cursor: {@link #read}, up to here matches were handed to the lane; {@link #acked}, up to here every match of every
 * member is settled; {@link #given}, the highest {@code read} that this group, or one its members came from, ever had.
 */
final class Group {
    final StreamGroups stream;
    final GroupKey key;

    /** Ids of a side group's members, with the revision that created them; null for a main group. */
    final @Nullable Map<String, Long> members;

    /** Matches of the event that is being offered. */
    final List<Match> gathered = new ArrayList<>();

    /** Whether its {@code read} is the stream's tail, wherever that moves. */
    private boolean atTail;

    private Position read;
    private Position given = Position.START;

    /** The last event that was handed to the lane; one that is read again at the tail after a failure is not handed twice. */
    private Position handed = Position.START;

    private @Nullable GivenEvent first;
    private @Nullable GivenEvent last;
    private int gaps;
    private final Awaited awaited = new Awaited();

    /** The lane that was handed its matches last; null: none since it was put back. */
    @Nullable
    Lane lane;

    /** Its only subscription's gateway wants its events later, while it acknowledges others: one event at a time is sent. */
    boolean stuck;

    /** Its members that are still to be told of missing events; null: there are none. */
    @Nullable
    GapTelling telling;

    /** When it fell behind; meaningless at the tail. */
    long behindSince;

    /** No change that is still to be read is older than this, by the source's clock; 0: as old as its place. */
    long oldestMissed;

    /** When catch-up last read for it. */
    long servedAt;

    private Group(
            StreamGroups stream, GroupKey key, @Nullable Map<String, Long> members, boolean atTail, Position read) {
        this.stream = stream;
        this.key = key;
        this.members = members;
        this.atTail = atTail;
        this.read = read;
    }

    /** A main group that follows the tail. */
    static Group main(StreamGroups stream, GroupKey key) {
        return new Group(stream, key, null, true, Position.START);
    }

    /** A side group without members, behind the tail. */
    static Group side(StreamGroups stream, GroupKey key, Position read) {
        return new Group(stream, key, new LinkedHashMap<>(), false, read);
    }

    /** The members of a side group; none of a main group. */
    Map<String, Long> membersById() {
        return members == null ? Map.of() : members;
    }

    boolean isMain() {
        return members == null;
    }

    boolean isAtTail() {
        return atTail;
    }

    Position read(Position tail) {
        return atTail ? tail : read;
    }

    /** Every match of every member up to here is settled. */
    Position acked(Position tail) {
        return first == null ? read(tail) : first.before;
    }

    Position given() {
        return given;
    }

    void raiseGiven(Position to) {
        given = Position.higher(given, to);
    }

    /** The log has another identity, in which this is the highest place that may have been handed over. */
    void replaceGiven(Position to) {
        given = to;
    }

    /** Its {@code read} stays here while the tail moves on. */
    void fallBehind(Position at, long now) {
        behindSince = atTail ? now : behindSince;
        atTail = false;
        read = at;
        stream.isBehind(this);
    }

    /** Events up to here held nothing for it, or were handed over. */
    void readOn(Position to) {
        read = to;
    }

    void reachTail() {
        atTail = true;
    }

    boolean hasUnsettled() {
        return first != null;
    }

    /** Whether another lane than this one has unsettled matches of it: it is put back before anything more is handed over. */
    boolean isLeaving(Lane serving) {
        return first != null && lane != serving;
    }

    /** Matches that were handed over and are not settled. */
    int unsettled() {
        int matches = 0;
        for (GivenEvent each = first; each != null; each = each.next) {
            matches += each.outstanding;
        }
        return matches;
    }

    /** Whether a member has not confirmed that it knows of missing events. */
    boolean tellsGap() {
        return gaps > 0;
    }

    Position handed() {
        return handed;
    }

    /**
     * Whether it was handed an event behind its {@code read}, because an error came between the two: members of other groups
     * were not, so that no other group may become one with it.
     */
    boolean isAhead(Position tail) {
        return read(tail).isBefore(handed);
    }

    /** Up to here its matches may have been handed over. */
    Position reached(Position tail) {
        return Position.higher(read(tail), handed);
    }

    boolean wasHanded(Position event) {
        return event.compareTo(handed) <= 0;
    }

    void add(GivenEvent event) {
        handed = event.position;
        event.previous = last;
        if (last == null) {
            first = event;
        } else {
            last.next = event;
        }
        last = event;
        gaps += event.gap ? 1 : 0;
    }

    /** Settles one match of the event. Returns whether that was the last. */
    boolean settle(GivenEvent event) {
        if (--event.outstanding > 0) {
            return false;
        }
        unlink(event);
        return true;
    }

    private void unlink(GivenEvent event) {
        GivenEvent previous = event.previous;
        GivenEvent next = event.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.previous = previous;
        }
        gaps -= event.gap ? 1 : 0;
    }

    /** Puts the cursor back: what was handed over behind {@code place} is offered again, marked as redelivery. */
    void putBack(Position place, Position tail, Awaited inFlight, long now) {
        raiseGiven(reached(tail));
        for (GivenEvent each = first; each != null; each = each.next) {
            each.voided = true;
        }
        first = null;
        last = null;
        gaps = 0;
        handed = place;
        telling = null;
        oldestMissed = 0;
        fallBehind(place, now);
        await(inFlight);
    }

    /** Nothing is offered before these have landed. */
    void await(Awaited inFlight) {
        awaited.follow(inFlight);
    }

    /** Whether deliveries that were withdrawn in flight have not landed yet. */
    boolean isAwaiting() {
        return !awaited.isOver();
    }

    /** Deliveries that were withdrawn in flight and have not landed: a member that leaves waits for them, too. */
    Awaited awaiting() {
        return awaited;
    }

    /** Takes over another group of the same place: its members and what they have not settled. */
    void absorb(Group other) {
        raiseGiven(other.given);
        awaited.follow(other.awaited);
        if (telling != null && other.members != null) {
            telling.subscriptionIds.addAll(other.members.keySet());
        }
        if (members != null && other.members != null) {
            members.putAll(other.members);
        }
        GivenEvent theirs = other.first;
        other.first = null;
        other.last = null;
        while (theirs != null) {
            GivenEvent next = theirs.next;
            insert(theirs);
            theirs = next;
        }
        gaps += other.gaps;
        other.gaps = 0;
        lane = lane == null ? other.lane : lane;
    }

    /** In the order of positions. */
    private void insert(GivenEvent event) {
        event.group = this;
        GivenEvent after = last;
        while (after != null && event.position.isBefore(after.position)) {
            after = after.previous;
        }
        GivenEvent next = after == null ? first : after.next;
        event.previous = after;
        event.next = next;
        if (after == null) {
            first = event;
        } else {
            after.next = event;
        }
        if (next == null) {
            last = event;
        } else {
            next.previous = event;
        }
    }
}
