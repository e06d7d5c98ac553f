package dev.sluice.route;

import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Takes the events of the head, one after the other: each is matched and handed to everybody it concerns who stands at the
 * head. It never waits: whose lane has no room falls behind. Guarded by its partition's lock.
 */
final class Intake {
    private final Surroundings around;
    private final PartitionHead head;
    private final Standings standings;
    private final Births births;
    private final Representatives representatives;
    private final Backlog backlog;
    private final Dispatch dispatch;

    /** Whom the event that is being routed concerns. */
    private final List<LaneProgress> touched = new ArrayList<>();

    Intake(
            Surroundings around,
            PartitionHead head,
            Standings standings,
            Births births,
            Backlog backlog,
            Dispatch dispatch) {
        this.around = around;
        this.head = head;
        this.standings = standings;
        this.births = births;
        this.representatives = new Representatives(around.router(), standings.starts(), births);
        this.backlog = backlog;
        this.dispatch = dispatch;
    }

    /** @param matching is told of which gateways nobody may stand for others */
    void take(ChangeEvent event, Function<Predicate<String>, List<Match>> matching) {
        long now = around.turns().nanos();
        if (head.passesRepeat(event, now)) {
            around.counters().duplicates.increment();
            return;
        }
        head.reaches(event);
        List<Match> matches =
                matching.apply(gateway -> representatives.tellsEach(new Recipient.Gateway(gateway), event));
        if (matches.stream().anyMatch(each -> representatives.isOutOfPlace(each, event))) {
            matches = matching.apply(gateway -> true);
        }
        try {
            route(event, matches);
            head.took(event, now);
        } catch (Throwable inTheMiddle) {
            // It is read again, and some have it already.
            head.mayHaveGiven(event);
            throw inTheMiddle;
        }
        births.headMoved();
    }

    private void route(ChangeEvent event, List<Match> matches) {
        around.counters().events.increment();
        around.counters().matches.add(matches.size());
        if (event.operation() == Operation.RESYNC) {
            backlog.announceGap(event);
        }
        try {
            for (Match match : matches) {
                gather(match, event);
            }
            OutgoingEvent outgoing = new OutgoingEvent(event);
            for (LaneProgress progress : touched) {
                hand(progress, outgoing);
            }
        } finally {
            for (LaneProgress progress : touched) {
                progress.gathered.clear();
            }
            touched.clear();
        }
    }

    private void gather(Match match, ChangeEvent event) {
        Subscription subscription = match.subscription();
        if (standings.starts().serves(subscription.id(), event) || births.isBefore(subscription.id(), event)) {
            return;
        }
        if (around.router().isBroadcast(subscription)) {
            around.router().audience(subscription).forEach(owner -> gather(owner, Priority.LOW, match));
        } else {
            gather(Router.owner(subscription), subscription.priority(), match);
        }
    }

    private void gather(Recipient owner, Priority priority, Match match) {
        LaneProgress progress = standings.of(new SavedPosition.LaneKey(owner, priority));
        if (progress.gathered.isEmpty()) {
            touched.add(progress);
        }
        progress.gathered.add(match);
    }

    private void hand(LaneProgress progress, OutgoingEvent outgoing) {
        if (progress.isBehind()) {
            // One that could not be started, for want of memory for example, is started now.
            backlog.catchUp(progress);
            return;
        }
        if (progress.has(outgoing.event())) {
            return;
        }
        progress.gathered.forEach(
                match -> standings.starts().tidy(match.subscription().id()));
        Lane lane = around.lanes().serving(progress.owner);
        Lane.Room room = lane == null ? Lane.Room.UNREACHABLE : lane.room(progress.priority);
        if (lane == null || room != Lane.Room.YES) {
            backlog.fallBehind(progress, room, outgoing.event(), lane == null ? "" : lane.gatewayId());
        } else {
            dispatch.give(progress, lane, outgoing, head.ordinal());
        }
    }
}
