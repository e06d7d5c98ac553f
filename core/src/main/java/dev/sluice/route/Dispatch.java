package dev.sluice.route;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.OutgoingEvent;
import dev.sluice.match.MatchKind;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Puts a partition's matches into lanes, and counts what comes back as done. Which lanes have something new it remembers
 * until somebody may send it, which is not while the lock is held. Guarded by its partition's lock.
 */
final class Dispatch {
    private final Sender sender;
    private final Surroundings around;
    private final PartitionHead head;
    private final Starts starts;
    private final Set<Lane> fullLanes = new LinkedHashSet<>();
    private final Set<Lane> filledLanes = new LinkedHashSet<>();
    private long acknowledged;

    Dispatch(Sender sender, Surroundings around, PartitionHead head, Starts starts) {
        this.sender = sender;
        this.around = around;
        this.head = head;
        this.starts = starts;
    }

    /**
     * The matches that were gathered are on their way.
     *
     * @param ordinal of the event; {@link Pending#REREAD} if it was read again
     */
    void give(LaneProgress progress, Lane lane, OutgoingEvent outgoing, long ordinal) {
        ChangeEvent event = outgoing.event();
        EventId before = progress.given(event.backend(), head.at());
        Pending pending = new Pending(
                progress,
                event.backend(),
                before == null ? PartitionHead.before(event) : before,
                ordinal,
                event.operation() == Operation.RESYNC,
                progress.gathered.size());
        put(pending, lane, outgoing, head.mayHaveBeenSent(event));
    }

    /** What they were owed is gone. Until they know, their lane stays where it fell out of range. */
    void tellGap(LaneProgress progress, Lane lane, OutgoingEvent resync, List<Subscription> concerned) {
        try {
            concerned.forEach(each -> progress.gathered.add(new Match(each, MatchKind.CONTROL)));
            Pending pending = Pending.gap(progress, progress.given(head.at()), concerned.size());
            put(pending, lane, resync, !head.knowsHeadAtClaim());
        } finally {
            progress.gathered.clear();
        }
        around.counters().resyncs.add(concerned.size());
    }

    private void put(Pending pending, Lane lane, OutgoingEvent outgoing, boolean sentBefore) {
        LaneProgress progress = pending.progress;
        boolean again = sentBefore || progress.mayHaveHad(outgoing.event());
        long now = around.turns().nanos();
        List<Owed> owed = new ArrayList<>(progress.gathered.size());
        for (Match match : progress.gathered) {
            Subscription subscription = match.subscription();
            owed.add(new Owed(
                            sender,
                            pending,
                            subscription.id(),
                            progress.priority,
                            type(match.kind(), outgoing.event()),
                            outgoing,
                            again,
                            match.kind() == MatchKind.UNKNOWN,
                            null,
                            now)
                    .of(subscription, starts.numberOf(subscription.id()))
                    .introducing(around.router().foreign(subscription, lane.gatewayId())));
        }
        progress.gathered.clear();
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

    /** Lanes with a full batch, or with anything new. They are to be pumped when the lock is free. */
    List<Lane> takeLanesToPump(boolean all) {
        List<Lane> lanes = new ArrayList<>(fullLanes);
        fullLanes.clear();
        if (all) {
            lanes.addAll(filledLanes);
            filledLanes.clear();
        }
        return lanes;
    }

    /** What waits of it is not sent any more, unless it stands for others, too. Returns how many matches that were. */
    int withdraw(Subscription subscription) {
        List<Owed> withdrawn = new ArrayList<>();
        for (Lane each : lanesOf(subscription)) {
            withdrawn.addAll(each.remove(owed -> isOnlyOf(subscription, owed)));
        }
        settled(withdrawn);
        return withdrawn.size();
    }

    /** It has ended: what is under way of it, and of nobody else, is not sent again either. */
    void abandon(Subscription subscription) {
        lanesOf(subscription).forEach(lane -> lane.abandon(owed -> isOnlyOf(subscription, owed)));
    }

    private Collection<Lane> lanesOf(Subscription subscription) {
        Lane lane = around.lanes().serving(Router.owner(subscription));
        return lane == null ? around.lanes().all() : List.of(lane);
    }

    private boolean isOnlyOf(Subscription subscription, Owed owed) {
        return owed.sender == sender && owed.subscriptionId.equals(subscription.id()) && !owed.representative;
    }

    void settled(List<Owed> done) {
        for (Owed owed : done) {
            Pending pending = owed.pending;
            if (pending != null && !pending.voided && !owed.acknowledged) {
                owed.acknowledged = true;
                acknowledged++;
                pending.progress.acknowledge(pending);
            }
        }
    }

    /** How many matches have been acknowledged since the claim. */
    long acknowledged() {
        return acknowledged;
    }
}
