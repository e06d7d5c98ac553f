package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Priority;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How far one priority class of one gateway has got in one partition. At the head it takes what the partition reads; behind
 * it is a position that a {@link CatchUp} reads on from. Its low-water mark is the lowest position that is not
 * acknowledged. Guarded by its partition's lock.
 *
 * <p>Usually it stands for all subscriptions of the class. One that begins in the past is served by a progress of its own,
 * together with others like it, until that has come to the head.
 */
final class LaneProgress {
    final Recipient owner;
    final Priority priority;

    /** The subscriptions it is for and what each of them begins behind; null: all of the class that have none of this kind. */
    final @Nullable Map<String, Positions> starting;

    /** The matches of the event that is being routed. */
    final List<Match> gathered = new ArrayList<>();

    private @Nullable Positions behind;
    private @Nullable Positions had;
    private Instant since = Instant.EPOCH;
    private long missedFrom;
    private @Nullable Pending first;
    private @Nullable Pending last;
    private long unacknowledged;
    private int resyncs;
    private boolean mustResync;
    private int putBack;
    private boolean dropped;
    private @Nullable Positions began;
    private @Nullable Positions repeats;

    /** What reads it again, while it is behind. */
    @Nullable
    CatchUp catchUp;

    /** The class its subscriptions leave: what they were given there comes first. */
    @Nullable
    LaneProgress after;

    /** Its subscriptions may have something on its way from before it began. */
    boolean mayOvertake = true;

    LaneProgress(Recipient owner, Priority priority, @Nullable Map<String, Positions> starting) {
        this.owner = owner;
        this.priority = priority;
        this.starting = starting;
    }

    SavedPosition.LaneKey key() {
        return new SavedPosition.LaneKey(owner, priority);
    }

    boolean isBehind() {
        return behind != null;
    }

    /** How far it has been read again; null at the head. */
    @Nullable
    Positions behind() {
        return behind;
    }

    Instant since() {
        return since;
    }

    void fallBehind(Positions at, Instant now) {
        behind = at.copy();
        had = null;
        since = now;
        missedFrom = 0;
    }

    /** The first event it is not given: none of those to be read again is older. */
    void misses(ChangeEvent event) {
        missedFrom = event.timestamp();
    }

    /**
     * No event that is still to be read again is older than this; empty when none is. A position is that of an event before,
     * which may be much older where little happens.
     */
    Optional<Instant> oldestToRead(Positions head) {
        Positions at = behind;
        return at == null
                ? Optional.empty()
                : head.byBackend().entrySet().stream()
                        .filter(each -> isBefore(at.at(each.getKey()), each.getValue()))
                        .map(each -> instant(at.at(each.getKey())))
                        .min(Comparator.naturalOrder())
                        .map(position ->
                                position.toEpochMilli() < missedFrom ? Instant.ofEpochMilli(missedFrom) : position);
    }

    private static boolean isBefore(@Nullable EventId position, EventId head) {
        return position == null || !position.equals(head) && position.time().compareTo(head.time()) <= 0;
    }

    /** A backend the position does not name begins with its oldest event, of which only this is known. */
    private Instant instant(@Nullable EventId position) {
        return position == null ? since : Instant.ofEpochSecond(position.time().t());
    }

    /** It takes from the head again, except what it has been given already. */
    void rejoin() {
        had = behind;
        behind = null;
        mustResync = false;
    }

    /** It had this event when it was being read again. */
    boolean has(ChangeEvent event) {
        return had != null && had.covers(event);
    }

    /**
     * Up to where it has been given everything. At the head it may be ahead of that: it was read again from a position of
     * its own, and has come there first. It must never go back to the head then, whatever happens to that: its gateway has
     * had what comes later, and perhaps another one had what is between.
     */
    Positions given(Positions head) {
        Positions given = (behind == null ? head : behind).copy();
        if (behind == null && had != null) {
            given.raise(had);
        }
        return given;
    }

    /** The same in one backend; null: where that is at its oldest. */
    @Nullable
    EventId given(String backend, Positions head) {
        EventId at = (behind == null ? head : behind).at(backend);
        EventId ahead = behind == null && had != null ? had.at(backend) : null;
        return ahead != null && (at == null || at.time().compareTo(ahead.time()) <= 0) ? ahead : at;
    }

    /** How often {@link #putBack} happened: what was read for it before then is void. */
    int timesPutBack() {
        return putBack;
    }

    /** Everything that is not acknowledged will be read again. */
    void putBack(Positions low, Instant now) {
        for (Pending each = first; each != null; each = each.next) {
            each.voided = true;
        }
        first = null;
        last = null;
        unacknowledged = 0;
        resyncs = 0;
        putBack++;
        fallBehind(low, now);
        if (after != null && starting != null) {
            // What the class they left had not delivered is theirs to get here now.
            starting.replaceAll((id, at) -> low.copy());
            after = null;
        }
        mayOvertake = true;
        begin();
    }

    /** It may have been given what is up to here, and is read again from before. */
    void mayRepeat(Positions upTo) {
        repeats = upTo.copy();
    }

    boolean mayHaveHad(ChangeEvent event) {
        return repeats != null && repeats.mayCover(event);
    }

    /** Another gateway serves it from where it is now: that one is not to be given what was before. */
    void begin() {
        began = behind == null ? null : behind.copy();
    }

    /** Where it is to be read on after a restart, as long as the others begin before its own beginning; or null. */
    @Nullable
    Positions savedApart(Positions low, Positions head) {
        if (began == null || low.reaches(began)) {
            began = null;
            return null;
        }
        Positions at = lowWater(head);
        at.raise(began);
        return at;
    }

    /** Changes are missing in what it is to read again: it will come upon that, and tell. */
    void mustResync() {
        mustResync = true;
    }

    /** It has not told, or they have not confirmed, that changes are missing. */
    boolean owesResync() {
        return mustResync || resyncs > 0;
    }

    /** Nobody needs it any more. */
    void drop() {
        dropped = true;
    }

    boolean isDropped() {
        return dropped;
    }

    void wake() {
        if (catchUp != null) {
            catchUp.wake();
        }
    }

    void add(Pending pending) {
        pending.previous = last;
        if (last == null) {
            first = pending;
        } else {
            last.next = pending;
        }
        last = pending;
        unacknowledged += pending.outstanding;
        resyncs += pending.resync ? 1 : 0;
    }

    /** Returns whether the whole event is done. */
    boolean acknowledge(Pending pending) {
        unacknowledged--;
        pending.outstanding--;
        if (pending.outstanding > 0) {
            return false;
        }
        if (pending.previous == null) {
            first = pending.next;
        } else {
            pending.previous.next = pending.next;
        }
        if (pending.next == null) {
            last = pending.previous;
        } else {
            pending.next.previous = pending.previous;
        }
        resyncs -= pending.resync ? 1 : 0;
        return true;
    }

    long unacknowledged() {
        return unacknowledged;
    }

    /** The first event the head gave that is not done; {@link Pending#REREAD} if it was read again; null if all is done. */
    @Nullable
    Long firstOrdinal() {
        return first == null ? null : Long.valueOf(first.ordinal);
    }

    /** The position that may be saved: everything up to it is acknowledged. */
    Positions lowWater(Positions head) {
        return lowWater(head, each -> true);
    }

    /** The same for somebody whom only some of it concerns. */
    Positions lowWater(Positions head, Predicate<Pending> counts) {
        Positions low = given(head);
        Set<String> settled = new HashSet<>();
        int backends = low.backends();
        for (Pending each = first; each != null && settled.size() < backends; each = each.next) {
            if (!counts.test(each)) {
                continue;
            }
            if (each.allBefore != null) {
                each.allBefore.byBackend().forEach((backend, id) -> put(low, settled, backend, id));
            } else {
                put(low, settled, each.backend, each.before);
            }
        }
        return low;
    }

    private static void put(Positions low, Set<String> settled, String backend, @Nullable EventId before) {
        if (settled.add(backend)) {
            if (before == null) {
                low.byBackend().remove(backend);
            } else {
                low.move(backend, before);
            }
        }
    }

    /** Also for who does not hold the lock. */
    @Override
    public String toString() {
        return owner + "/" + priority.text() + (starting == null ? "" : " (" + starting.size() + " that start)");
    }
}
