package dev.sluice.coordinate;

import dev.sluice.coordinate.Hints.Look;
import dev.sluice.coordinate.audit.AuditEvent;
import dev.sluice.coordinate.audit.AuditTrail;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * This process as a member of a group that shares partitions out among its members. Started with a store, it joins, and
 * tells its {@link PartitionUser} which partitions it owns; closed, it hands them over and leaves. In between it needs
 * nothing: it goes on alone after any failure of the store, of others, or of itself.
 *
 * <p>At any time at most one member can write with the highest token of a partition. A member that cannot renew its lease
 * stops by itself before the lease ends.
 */
public final class Group implements AutoCloseable {
    /** The longest round closes the claims of a whole layout, one by one. */
    private static final int LEASES_PER_ROUND = 10;

    private final CoordinationStore store;
    private final GroupSettings settings;
    private final GroupKeys keys;
    private final Clockwork clockwork;
    private final GroupJournal journal;
    private final Membership membership;
    private final Claims claims;
    private final Round round;
    private final Clockwork.Signal heartbeat;
    private final Clockwork.Signal watchdog;
    private final Clockwork.Signal rounds;
    private final Hints hints;
    private final Clockwork.Signal leaving;
    private final List<CoordinationStore.Watch> watches = new ArrayList<>();
    private volatile boolean stopped;
    private volatile boolean roundsEnded;
    private volatile long roundEndedAt;

    Group(
            CoordinationStore store,
            GroupSettings settings,
            PartitionUser user,
            Clockwork clockwork,
            InstantSource wallClock,
            Supplier<String> incarnations) {
        this.store = store;
        this.settings = settings;
        this.keys = new GroupKeys(settings.group());
        this.clockwork = clockwork;
        this.heartbeat = clockwork.signal();
        this.watchdog = clockwork.signal();
        this.rounds = clockwork.signal();
        this.hints = new Hints(rounds);
        this.leaving = clockwork.signal();
        this.journal = new GroupJournal(
                settings.group(), clockwork, new AuditTrail(settings.group(), wallClock, AuditTrail.DEFAULT_CAPACITY));
        this.claims = new Claims(
                settings,
                user,
                new ClaimContext(store, keys, clockwork, settings.savePolicy(), journal, settings.takeover()),
                hints::hint);
        this.membership = new Membership(store, settings, clockwork, incarnations, journal, new Membership.Listener() {
            @Override
            public void joined(Incarnation member) {
                hints.hint(Look.ALL);
            }

            @Override
            public void over(Incarnation member, String why) {
                claims.drop(member, why);
                heartbeat.raise();
            }
        });
        this.round = new Round(store, settings, clockwork, journal, membership, claims);
    }

    /** Joins, and returns at once: also when the store is away. */
    public static Group start(CoordinationStore store, GroupSettings settings, PartitionUser user) {
        return start(
                store,
                settings,
                user,
                new VirtualThreads(),
                InstantSource.system(),
                () -> UUID.randomUUID().toString());
    }

    /**
     * The same on given threads and time, for users that share them with the group, and for simulations.
     *
     * @param incarnations a name never used before, for each life of this member
     */
    public static Group start(
            CoordinationStore store,
            GroupSettings settings,
            PartitionUser user,
            Clockwork clockwork,
            InstantSource wallClock,
            Supplier<String> incarnations) {
        Group group = new Group(store, settings, user, clockwork, wallClock, incarnations);
        group.begin();
        return group;
    }

    void begin() {
        roundEndedAt = clockwork.nanos();
        loop("heartbeat", heartbeat, this::beatWhileRoundsEnd, () -> {});
        loop("watchdog", watchdog, membership::checkDeadline, () -> {});
        loop("round", rounds, this::lookAndTell, () -> {
            closeWatches();
            roundsEnded = true;
            leaving.raise();
        });
    }

    private void loop(String name, Clockwork.Signal wake, Supplier<Duration> step, Runnable atTheEnd) {
        clockwork.start(settings.group() + '-' + name, () -> {
            while (!stopped) {
                wake.await(run(name, step));
            }
            atTheEnd.run();
        });
    }

    private Duration run(String name, Supplier<Duration> step) {
        try {
            return step.get();
        } catch (RuntimeException | Error e) {
            if (!clockwork.goesOnAfter(e)) {
                throw e;
            }
            journal.failed(name, e);
            return settings.poll();
        }
    }

    /** A member that follows nobody any more must not look alive: others take over what it has. */
    private Duration beatWhileRoundsEnd() {
        Duration since = Duration.ofNanos(clockwork.nanos() - roundEndedAt);
        if (since.compareTo(settings.lease().multipliedBy(LEASES_PER_ROUND)) > 0) {
            throw new IllegalStateException(
                    "no round has ended for " + since + ": the lease is not renewed until one does");
        }
        return membership.beat();
    }

    private Duration lookAndTell() {
        try {
            watch();
            Duration pause = round.step(hints);
            if (round.hasLeft()) {
                leaving.raise();
            }
            return pause;
        } finally {
            roundEndedAt = clockwork.nanos();
        }
    }

    /** Hints that make rounds come sooner. They are asked for until the store grants them. */
    private void watch() {
        if (watches.isEmpty()) {
            try {
                watches.add(store.watch(keys.control(), this::controlChanged));
                watches.add(store.watch(keys.members(), this::memberChanged));
            } catch (StoreUnavailableException e) {
                journal.storeAway(e);
            }
        }
    }

    private void controlChanged(String key) {
        hints.hint(key.equals(keys.assignment()) ? Look.ASSIGNMENT : Look.ALL);
    }

    /** Only the leader must know soon: hundreds of members that all look when one joins would be too much for the store. */
    private void memberChanged(String key) {
        boolean own = membership
                .current()
                .filter(member -> key.equals(keys.member(member.id())))
                .isPresent();
        String leader = round.knownLeader().owner();
        boolean leaders = !leader.isEmpty() && key.equals(keys.member(leader));
        if (own || leaders || key.equals(keys.members()) || round.leads() || !round.isLed()) {
            hints.hint(Look.ALL);
        }
    }

    private void closeWatches() {
        claims.close();
        watches.forEach(CoordinationStore.Watch::close);
    }

    /** From now on this member may own partitions; for one whose settings say that it waits until then. */
    public void ready() {
        round.ready();
        hints.hint(Look.ALL);
    }

    /**
     * Changes the number of partitions for the whole group: all claims are drained, then partitions of a new generation
     * start, all at the lowest position of the old ones. Returns when that is decided; it is carried out by whoever leads.
     *
     * @throws StoreUnavailableException when it may or may not have been decided
     */
    public void changePartitions(int partitions) {
        if (settings.lower() == null) {
            throw new InvalidInputException(
                    "the number of partitions can change only where the settings of the group say"
                            + " which of two positions is lower");
        }
        Entry entry = store.get(keys.layout())
                .orElseThrow(() -> new InvalidInputException(
                        "group " + settings.group() + " has no partitions yet: wait for its first leader"));
        Layout layout = Layout.of(entry);
        if (layout.isDraining()) {
            throw new InvalidInputException("the number of partitions is being changed already, to "
                    + layout.partitions() + ": wait until that is done");
        }
        if (store.put(entry.key(), layout.drainTo(partitions).toBytes(), entry.revision())
                .isEmpty()) {
            throw new InvalidInputException("somebody else has just changed the number of partitions: look again");
        }
        journal.draining(layout.drainTo(partitions));
    }

    /** The claims this member holds now. */
    public List<Claim> claims() {
        return claims.held();
    }

    public GroupCounters counters() {
        return journal.counters();
    }

    /** What happened lately in the group, as far as this member took part in it; oldest first. */
    public List<AuditEvent> audit() {
        return journal.audit().latest();
    }

    public GroupStatus status() {
        Optional<Incarnation> member = membership.current();
        Layout layout = round.layout();
        return new GroupStatus(
                settings.group(),
                member.map(Incarnation::id).orElse(""),
                member.map(Incarnation::name).orElse(""),
                round.memberState(),
                List.copyOf(round.live().incarnations().keySet()),
                round.knownLeader().owner(),
                member.isPresent() && round.leads(),
                layout == null ? 0 : layout.generation(),
                layout == null ? 0 : layout.partitions(),
                layout != null && layout.isDraining(),
                claims.held().stream()
                        .map(claim -> new GroupStatus.Owned(claim.partition(), claim.token(), claim.position()))
                        .toList(),
                round.leads() ? round.owners().withoutOwner() : Map.of(),
                journal.storeAwayFor(),
                journal.storeAwayReason());
    }

    /**
     * Hands everything over and leaves. Takes as long as the users of the partitions take, and at most twice the handoff
     * timeout; what is then still owned is lost to its user, and free for others.
     */
    @Override
    public void close() {
        if (stopped) {
            return;
        }
        round.leave();
        hints.hint(Look.ALL);
        long start = clockwork.nanos();
        Duration patience = settings.handoffTimeout().multipliedBy(2).plus(settings.poll());
        Duration left = patience;
        while (!round.hasLeft() && left.isPositive()) {
            leaving.await(left);
            left = patience.minusNanos(clockwork.nanos() - start);
        }
        stop();
    }

    private void stop() {
        stopped = true;
        try {
            membership.current().ifPresent(round::sayGoodbye);
        } catch (StoreUnavailableException e) {
            journal.storeAway(e);
        }
        membership.close();
        heartbeat.raise();
        watchdog.raise();
        rounds.raise();
        awaitLastRound();
    }

    /** Or the last round would find the store closed by its owner, and complain. */
    private void awaitLastRound() {
        long start = clockwork.nanos();
        Duration left = settings.poll();
        while (!roundsEnded && left.isPositive()) {
            leaving.await(left);
            left = settings.poll().minusNanos(clockwork.nanos() - start);
        }
    }
}
