package dev.sluice.route;

import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.match.MatchKind;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a catch-up hands in: events that were read again for one progress alone, until that is at the head and takes what
 * the partition reads. Whatever was read before the progress was put back is void. Takes its partition's lock.
 */
final class Rereading {
    private final Sender sender;
    private final Surroundings around;
    private final Guard guard;
    private final PartitionHead head;
    private final Standings standings;
    private final Births births;
    private final Representatives representatives;
    private final Dispatch dispatch;
    private final BooleanSupplier takingIn;

    /** What became of an event that a catch-up offers. */
    enum Offer {
        TAKEN,
        NO_ROOM,
        /** The position was put back meanwhile, or nobody wants it: what has been read is void. */
        VOID,
        /** Somebody stands for others in it, and may not: it is to be matched for each. */
        MATCH_EACH
    }

    /** @param takingIn whether the partition still takes in anything */
    Rereading(
            Sender sender,
            Surroundings around,
            Guard guard,
            PartitionHead head,
            Standings standings,
            Births births,
            Dispatch dispatch,
            BooleanSupplier takingIn) {
        this.sender = sender;
        this.around = around;
        this.guard = guard;
        this.head = head;
        this.standings = standings;
        this.births = births;
        this.representatives = new Representatives(around.router(), standings.starts(), births);
        this.dispatch = dispatch;
        this.takingIn = takingIn;
    }

    int partition() {
        return sender.partition();
    }

    Guard guard() {
        return guard;
    }

    List<Lane> takeLanesToPump(boolean all) {
        return guard.locked(() -> dispatch.takeLanesToPump(all));
    }

    /** Whether anybody is served by it; if not, it is over. */
    boolean isNeeded(LaneProgress progress) {
        return guard.locked(() -> {
            boolean serves = progress.starting == null || !progress.starting.isEmpty() || progress.unacknowledged() > 0;
            boolean open = takingIn.getAsBoolean() && progress.isBehind() && !progress.isDropped();
            if (open && !serves) {
                standings.drop(progress);
            }
            return open && serves;
        });
    }

    /** Where it is to be read on; null: nowhere, it is at the head, or was put back since. */
    private @Nullable Positions behind(LaneProgress progress, int putBack) {
        return takingIn.getAsBoolean() && progress.timesPutBack() == putBack ? progress.behind() : null;
    }

    /** @param putBack how often the progress had been put back when the event was asked for */
    Offer take(LaneProgress progress, int putBack, ChangeEvent event, List<Match> matches) {
        return guard.locked(() -> {
            Positions behind = behind(progress, putBack);
            if (behind == null) {
                return Offer.VOID;
            }
            try {
                Offer offer = gather(progress, event, matches) ? give(progress, event) : Offer.MATCH_EACH;
                if (offer == Offer.TAKEN) {
                    behind.move(event.backend(), event.id());
                }
                return offer;
            } finally {
                progress.gathered.clear();
            }
        });
    }

    /** Returns false when one that stands for others may not. */
    private boolean gather(LaneProgress progress, ChangeEvent event, List<Match> matches) {
        Recipient subject = progress.owner.subject();
        for (Match match : matches) {
            if (match.kind() == MatchKind.UNKNOWN
                    && Router.owner(match.subscription()).equals(subject)
                    && (representatives.tellsEach(subject, event) || representatives.isOutOfPlace(match, event))) {
                return false;
            }
            if (isFor(progress, match.subscription(), event)) {
                progress.gathered.add(match);
            }
        }
        return true;
    }

    private boolean isFor(LaneProgress progress, Subscription subscription, ChangeEvent event) {
        if (progress.starting != null) {
            Positions from = progress.starting.get(subscription.id());
            return from != null && !from.covers(event);
        }
        return !standings.starts().serves(subscription.id(), event)
                && !births.isBefore(subscription.id(), event)
                && around.router().leads(subscription, progress.owner, progress.priority);
    }

    private Offer give(LaneProgress progress, ChangeEvent event) {
        if (progress.gathered.isEmpty()) {
            return Offer.TAKEN;
        }
        Lane lane = laneWithRoom(progress);
        if (lane == null) {
            return Offer.NO_ROOM;
        }
        dispatch.give(progress, lane, new OutgoingEvent(event), Pending.REREAD);
        return Offer.TAKEN;
    }

    private @Nullable Lane laneWithRoom(LaneProgress progress) {
        Lane lane = around.lanes().serving(progress.owner);
        return lane == null || !lane.hasRoomToCatchUp(progress.priority) || isOvertaking(progress, lane) ? null : lane;
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
        progress.mayOvertake = !lane.pending(each -> each.sender == sender
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

    /** Everything up to the marker has been taken again. Returns whether the progress is at the head now. */
    boolean passed(LaneProgress progress, int putBack, ProgressMarker marker) {
        return guard.locked(() -> {
            Positions behind = behind(progress, putBack);
            if (behind == null) {
                return false;
            }
            behind.move(marker);
            Lane lane = around.lanes().serving(progress.owner);
            boolean there = behind.reaches(head.at()) && !isBehindItsClass(progress, behind);
            if (!there || lane == null || isOvertaking(progress, lane)) {
                return false;
            }
            progress.rejoin();
            around.counters().caughtUp.increment();
            return true;
        });
    }

    /** The class was given more, without the subscriptions that begin in the past: they must come so far first. */
    private boolean isBehindItsClass(LaneProgress start, Positions at) {
        LaneProgress usual = standings.usual(start);
        return start.starting != null && usual != null && !at.reaches(usual.given(head.at()));
    }

    /** Which of them the progress is for, so that they can be told of a gap. */
    List<Subscription> concerned(LaneProgress progress, List<Subscription> candidates, Positions oldest) {
        return guard.locked(() -> candidates.stream()
                .filter(each -> hasLost(progress, each, oldest))
                .toList());
    }

    private boolean hasLost(LaneProgress progress, Subscription subscription, Positions oldest) {
        if (progress.starting != null) {
            Positions from = progress.starting.get(subscription.id());
            return from != null && !from.reaches(oldest);
        }
        LaneProgress start = standings.starts().of(subscription.id());
        return (start == null || !start.isBehind())
                && around.router().leads(subscription, progress.owner, progress.priority);
    }

    /** Tells those it is for that what they were owed is gone. Returns whether there was room for it. */
    boolean tellGap(
            LaneProgress progress, int putBack, ChangeEvent resync, List<Subscription> candidates, Positions oldest) {
        return guard.locked(() -> {
            Lane lane = behind(progress, putBack) == null ? null : laneWithRoom(progress);
            List<Subscription> concerned = concerned(progress, candidates, oldest);
            if (lane != null && !concerned.isEmpty()) {
                dispatch.tellGap(progress, lane, new OutgoingEvent(resync), concerned);
            }
            return lane != null;
        });
    }

    /** They know: it goes on with the oldest there is. */
    void jump(LaneProgress progress, int putBack, Positions to) {
        guard.locked(() -> {
            Positions behind = progress.behind();
            if (behind != null && progress.timesPutBack() == putBack) {
                behind.raise(to);
            }
        });
    }
}
