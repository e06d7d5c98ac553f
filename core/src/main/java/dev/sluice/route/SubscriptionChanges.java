package dev.sluice.route;

import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Replacement;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions that come, change and go, in one partition: whoever asks for a start in the past, or goes elsewhere, is read
 * from there by itself until it is where its class is. Nothing it was owed is lost on the way, and nothing overtakes.
 * Guarded by its partition's lock.
 */
final class SubscriptionChanges {
    private final Sender sender;
    private final Surroundings around;
    private final PartitionHead head;
    private final Standings standings;
    private final Births births;
    private final Backlog backlog;
    private final Broadcasts broadcasts;
    private final Dispatch dispatch;

    /** Where those are to begin after a crash that are about to be stored with another gateway or priority. */
    private final Map<String, ProgressMarker> held = new LinkedHashMap<>();

    SubscriptionChanges(
            Sender sender,
            Surroundings around,
            PartitionHead head,
            Standings standings,
            Births births,
            Backlog backlog,
            Broadcasts broadcasts,
            Dispatch dispatch) {
        this.sender = sender;
        this.around = around;
        this.head = head;
        this.standings = standings;
        this.births = births;
        this.backlog = backlog;
        this.broadcasts = broadcasts;
        this.dispatch = dispatch;
    }

    Map<String, ProgressMarker> held() {
        return held;
    }

    /**
     * They may be somewhere else after a crash: what they are owed is theirs there. Returns whether that must be saved.
     *
     * @param named the subscriptions whose places the position that is stored may name
     */
    boolean hold(Collection<Replacement> moving, Predicate<String> named) {
        boolean holds = false;
        for (Replacement each : moving) {
            Subscription earlier = each.earlier();
            String id = each.later().id();
            if (each.restarts() && named.test(id)) {
                held.put(id, each.later().from().orElse(ProgressMarker.NOWHERE));
                holds = true;
            } else if (!each.restarts() && earlier != null && !head.isNowhere() && !staysBroadcast(each)) {
                held.put(id, lowWaterOf(earlier).beforeItsTimes().marker());
                holds = true;
            }
        }
        return holds;
    }

    /** Whoever hears it goes on from where they are, whatever its priority. */
    private boolean staysBroadcast(Replacement change) {
        Subscription earlier = change.earlier();
        return earlier != null
                && around.router().isBroadcast(change.later())
                && Router.owner(earlier).equals(Router.owner(change.later()));
    }

    void release(Collection<Replacement> staying) {
        staying.forEach(each -> held.remove(each.later().id()));
    }

    /** Before the index shows it. Returns whether it stands elsewhere than its class: that must be saved before others know. */
    boolean beforeAdd(Subscription subscription, @Nullable Subscription earlier) {
        held.remove(subscription.id());
        boolean broadcast = around.router().isBroadcast(subscription);
        if (broadcast) {
            broadcasts.add(subscription);
        }
        if (new Replacement(earlier, subscription).restarts()) {
            if (earlier != null) {
                dispatch.withdraw(earlier);
            }
            start(subscription, Positions.of(subscription.from().orElse(ProgressMarker.NOWHERE)));
            return true;
        }
        if (earlier == null) {
            if (!head.isNowhere()) {
                births.newcomer(subscription, head.at());
            }
            return false;
        }
        if (!Router.owner(subscription).equals(Router.owner(earlier))) {
            // Its new gateway has had nothing: where it begins must be sure, or it might begin earlier after a crash.
            Positions at = lowWaterOf(earlier).beforeItsTimes();
            dispatch.withdraw(earlier);
            start(subscription, at);
            return true;
        }
        if (broadcast) {
            births.changed(subscription);
            return false;
        }
        if (earlier.priority() != subscription.priority()) {
            changeClass(earlier, subscription);
            return true;
        }
        return false;
    }

    /** What the old class was given of it goes on; the new one begins behind that, when it is done. */
    private void changeClass(Subscription earlier, Subscription subscription) {
        Positions low = lowWaterOf(earlier);
        LaneProgress old = standings.usual(earlier);
        if (old == null || isStarting(earlier)) {
            dispatch.withdraw(earlier);
            start(subscription, low);
        } else {
            begin(subscription, low, old.given(head.at()), old);
        }
    }

    private boolean isStarting(Subscription subscription) {
        LaneProgress start = standings.starts().of(subscription.id());
        return start != null && (start.isBehind() || start.unacknowledged() > 0);
    }

    /** Begins it in the past; for one that is being restored as well. */
    void start(Subscription subscription, Positions at) {
        standings.starts().number(subscription.id());
        if (around.router().isBroadcast(subscription)) {
            // Everybody who hears it is read again from there: those it shares that with may get some of theirs again.
            standings.starts().forget(subscription.id());
            births.put(subscription, at);
            broadcasts.lower(Router.owner(subscription), at);
            standings.starts().startedAtOnce(subscription.id());
        } else {
            begin(subscription, at, at, null);
        }
    }

    private void begin(Subscription subscription, Positions birth, Positions at, @Nullable LaneProgress after) {
        births.put(subscription, birth);
        LaneProgress fresh = standings
                .starts()
                .begin(subscription, at.copy(), after, around.turns().now());
        if (fresh != null) {
            backlog.catchUp(fresh);
        }
    }

    /** What the subscription has not acknowledged is behind it. */
    private Positions lowWaterOf(Subscription subscription) {
        return births.notBefore(subscription.id(), standsAt(subscription));
    }

    private Positions standsAt(Subscription subscription) {
        LaneProgress start = standings.starts().of(subscription.id());
        if (start != null && isStarting(subscription)) {
            return standings.startOf(start);
        }
        if (around.router().isBroadcast(subscription)) {
            Positions done = broadcasts.done(Router.owner(subscription));
            return done == null ? head.at().copy() : done.copy();
        }
        LaneProgress usual = standings.usual(subscription);
        if (usual == null) {
            return head.at().copy();
        }
        Lane lane = around.lanes().serving(usual.owner);
        if (lane == null) {
            return standings.lowWater(usual);
        }
        Set<Pending> mine = lane.pending(each -> each.sender == sender && isOf(subscription, each));
        return usual.lowWater(head.at(), mine::contains);
    }

    /** It is the subscription's own, or may stand for it. */
    private static boolean isOf(Subscription subscription, Owed owed) {
        return owed.subscriptionId.equals(subscription.id())
                || owed.representative && owed.event.event().collection().equals(subscription.collection());
    }

    /** Returns how many matches were waiting for it. */
    int ended(Subscription subscription) {
        held.remove(subscription.id());
        standings.starts().ended(subscription.id());
        births.forget(subscription.id());
        dispatch.abandon(subscription);
        return dispatch.withdraw(subscription);
    }
}
