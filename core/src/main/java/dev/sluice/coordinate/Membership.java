package dev.sluice.coordinate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this member alive: one incarnation after the other, each with a lease that is renewed at a quarter of its time. An
 * incarnation that could not be renewed is over at its deadline, before its lease can have ended, and everything it owned
 * with it; the next one starts as soon as the store answers.
 */
final class Membership {
    /** Told from whichever thread notices. */
    interface Listener {
        void joined(Incarnation member);

        void over(Incarnation member, String why);
    }

    private final CoordinationStore store;
    private final GroupSettings settings;
    private final GroupKeys keys;
    private final Clockwork clockwork;
    private final Supplier<String> names;
    private final GroupJournal journal;
    private final Listener listener;
    private @Nullable Incarnation current;
    private @Nullable String lastId;
    private long withoutIdSince;
    private boolean closed;

    /** @param names a new one for every incarnation */
    Membership(
            CoordinationStore store,
            GroupSettings settings,
            Clockwork clockwork,
            Supplier<String> names,
            GroupJournal journal,
            Listener listener) {
        this.store = store;
        this.settings = settings;
        this.keys = new GroupKeys(settings.group());
        this.clockwork = clockwork;
        this.names = names;
        this.journal = journal;
        this.listener = listener;
        this.lastId = settings.ids().remembered().orElse(null);
        this.withoutIdSince = clockwork.nanos();
    }

    /** The incarnation that may act now, if any. */
    synchronized Optional<Incarnation> current() {
        return Optional.ofNullable(current).filter(Incarnation::isLive);
    }

    /** One heartbeat: renews the lease, or opens one. Returns the pause until the next. */
    Duration beat() {
        Incarnation member = held();
        try {
            if (member != null && member.isLive()) {
                return renew(member);
            }
            checkDeadline();
            return join();
        } catch (StoreUnavailableException e) {
            journal.storeAway(e);
            return settings.retry();
        }
    }

    /** The watchdog's step; needs no store. Returns when to look again. */
    Duration checkDeadline() {
        Incarnation member = held();
        if (member == null) {
            return settings.retry();
        }
        Duration left = member.untilDeadline();
        if (left.isZero()) {
            over(member, "its lease was not renewed in time");
            return settings.retry();
        }
        return left;
    }

    private Duration renew(Incarnation member) {
        long sentAt = clockwork.nanos();
        if (member.lease().renew()) {
            member.renewed(sentAt);
            journal.renewed();
            return settings.heartbeat();
        }
        over(member, "its lease has ended");
        return Duration.ZERO;
    }

    private Duration join() {
        for (String id : candidates()) {
            String name = names.get();
            long sentAt = clockwork.nanos();
            Optional<Lease> lease = store.openLease(keys.member(id), name, settings.lease());
            journal.storeAnswered();
            if (lease.isPresent()) {
                begin(new Incarnation(id, name, lease.get(), clockwork, settings.life(), sentAt));
                settings.ids().remember(id);
                return settings.heartbeat();
            }
        }
        journal.noFreeId(settings.ids().ids());
        return settings.retry();
    }

    /** Ids to try, best first. One that was ours before is waited for as long as its last lease may live. */
    private List<String> candidates() {
        List<String> ids = settings.ids().ids();
        if (ids.size() == 1) {
            return ids;
        }
        String own = ownId();
        if (own != null) {
            return List.of(own);
        }
        Set<String> taken =
                LiveMembers.read(store, keys, clockwork).incarnations().keySet();
        List<String> free = new ArrayList<>(ids);
        free.removeAll(taken);
        return free;
    }

    private synchronized @Nullable String ownId() {
        boolean waits =
                clockwork.nanos() - withoutIdSince < settings.patienceForOwnId().toNanos();
        return waits ? lastId : null;
    }

    private void begin(Incarnation member) {
        boolean tooLate;
        synchronized (this) {
            tooLate = closed;
            current = tooLate ? null : member;
        }
        if (tooLate) {
            member.end();
            member.lease().close();
            return;
        }
        journal.joined(member);
        listener.joined(member);
    }

    /** Ends an incarnation, once, whoever notices first. */
    void over(Incarnation member, String why) {
        synchronized (this) {
            if (current != member) {
                return;
            }
            current = null;
            lastId = member.id();
            withoutIdSince = clockwork.nanos();
        }
        member.end();
        journal.died(member, why);
        listener.over(member, why);
    }

    private synchronized @Nullable Incarnation held() {
        return current;
    }

    /** Ends the lease at once, so that others need not wait for it. */
    void close() {
        Incarnation member;
        synchronized (this) {
            closed = true;
            member = current;
            current = null;
        }
        if (member != null) {
            member.end();
            journal.left(member);
            listener.over(member, "the member left");
            member.lease().close();
        }
    }
}
