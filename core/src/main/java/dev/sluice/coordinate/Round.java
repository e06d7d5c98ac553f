package dev.sluice.coordinate;

import dev.sluice.coordinate.Hints.Look;
import dev.sluice.coordinate.Recognition.Company;
import dev.sluice.coordinate.Waves.Wave;
import dev.sluice.coordinate.identity.MemberGate;
import dev.sluice.coordinate.identity.MemberState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One look at what the group has agreed on, and what follows for this member: its record, the election and the leader's
 * duties, the partitions it shall own. A few small reads, whatever the number of partitions; fewer still, or none, when it is
 * known what changed.
 */
final class Round {
    private static final Duration BETWEEN_WHOLE_ROUNDS = Duration.ofMillis(50);

    private final CoordinationStore store;
    private final GroupSettings settings;
    private final GroupKeys keys;
    private final Clockwork clockwork;
    private final GroupJournal journal;
    private final Membership membership;
    private final Registration registration;
    private final Leader leader;
    private final LeaderDuties duties;
    private final OwnerWatch owners;
    private final Burial burial;
    private final MemberGate gate;
    private final Claims claims;
    private final Assignments assignments;
    private final Recognition recognition;
    private final Waves waves = new Waves();
    private boolean outnumbered;
    private boolean lacksOrder;
    private volatile boolean ready;
    private volatile @Nullable Long leavingSince;
    private volatile boolean left;
    private volatile LiveMembers live;
    private volatile @Nullable Layout layout;
    private volatile boolean leads;
    private @Nullable Long wholeBegunAt;
    private long wholeDueAt;

    Round(
            CoordinationStore store,
            GroupSettings settings,
            Clockwork clockwork,
            GroupJournal journal,
            Membership membership,
            Claims claims) {
        this.store = store;
        this.settings = settings;
        this.keys = new GroupKeys(settings.group());
        this.clockwork = clockwork;
        this.journal = journal;
        this.membership = membership;
        this.claims = claims;
        this.registration = new Registration(store, settings);
        this.assignments = new Assignments(store, settings, journal);
        this.leader = new Leader(store, keys, journal, assignments, clockwork, settings.heartbeat());
        this.duties = new LeaderDuties(store, settings, clockwork, journal, assignments);
        this.owners = new OwnerWatch(store, keys, clockwork, settings.heartbeat());
        this.burial = new Burial(store, keys, clockwork, settings.lease().multipliedBy(100));
        this.gate = new MemberGate(settings.group(), settings.secrets());
        this.recognition = new Recognition(store, settings, clockwork, gate, journal);
        this.ready = !settings.waitsUntilReady();
        this.live = new LiveMembers(clockwork.nanos(), Map.of());
    }

    /** Returns the pause until the next. */
    Duration step(Hints hints) {
        Optional<Incarnation> member = membership.current();
        Look hinted = hints.take();
        if (member.isEmpty()) {
            hints.putBack(Look.ALL);
            leads = false;
            left = isLeaving() && claims.isEmpty();
            return settings.retry();
        }
        long now = clockwork.nanos();
        Long begunAt = wholeBegunAt;
        if (hinted == Look.ALL && begunAt != null && now - begunAt < BETWEEN_WHOLE_ROUNDS.toNanos()) {
            hints.putBack(Look.ALL);
            return BETWEEN_WHOLE_ROUNDS.minusNanos(now - begunAt);
        }
        try {
            if (hinted == Look.ALL || begunAt == null || now - wholeDueAt >= 0) {
                wholeBegunAt = now;
                wholeDueAt = now;
                Duration pause = look(member.get());
                wholeDueAt = clockwork.nanos() + pause.toNanos();
            } else {
                lookAtAssignment(member.get(), hinted, hints);
            }
            journal.storeAnswered();
            return Duration.ofNanos(Math.max(0, wholeDueAt - clockwork.nanos()));
        } catch (StoreUnavailableException e) {
            hints.putBack(hinted);
            journal.storeAway(e);
            return settings.retry();
        }
    }

    /** With the layout and the members as last read: should they have changed, a claim is refused or its slot asks. */
    private void lookAtAssignment(Incarnation member, Look hinted, Hints hints) {
        if (hinted == Look.ASSIGNMENT) {
            Assignment before = assignments.last();
            Assignment read = assignments.read();
            if (!read.owners().values().containsAll(before.owners().values())) {
                // A member owns nothing any more: whether it lives must be known before its partitions are taken.
                hints.hint(Look.ALL);
            }
        }
        Layout now = layout;
        if (now != null) {
            follow(member, now, assignments.last(), live);
        }
    }

    private Duration look(Incarnation member) {
        if (!registration.publish(member, state())) {
            return settings.retry();
        }
        Optional<Entry> leaderEntry = leader.read();
        Optional<Entry> layoutEntry = store.get(keys.layout());
        LiveMembers holders = LiveMembers.read(store, keys, clockwork);
        Company company = recognition.look(member, holders);
        LiveMembers members = company.members();
        live = members;
        boolean mayLead = mayLead(company, layoutEntry.map(Layout::of));
        if (leads && !mayLead) {
            leader.resign(member);
            leads = false;
            return settings.retry();
        }
        OptionalLong epoch = leader.elect(member, leaderEntry, holders, company, mayLead && !isLeaving());
        Duration pause = settings.poll();
        leads = epoch.isPresent();
        if (epoch.isPresent()) {
            List<Entry> records = store.list(keys.members());
            Roll roll = Roll.call(records, keys, holders, gate, journal);
            burial.step(records, holders);
            pause = shorter(pause, duties.step(member, epoch.getAsLong(), layoutEntry, roll));
        }
        if (layoutEntry.isPresent()) {
            Layout now = Layout.of(layoutEntry.get());
            layout = now;
            follow(member, now, assignments.read(), members);
            watchOwners(now, members);
        }
        return pause;
    }

    private void follow(Incarnation member, Layout now, Assignment assignment, LiveMembers members) {
        boolean valid = !now.isDraining() && assignment.generation() == now.generation();
        boolean inOrder = valid && !outnumbered && !isPatienceOver(members);
        Set<Integer> wanted = inOrder ? assignment.of(member.id()) : Set.of();
        claims.follow(member, now, wanted, members, inOrder ? waves.next(assignment, members, wanted) : Wave.NONE);
        left = isLeaving() && wanted.isEmpty() && claims.isEmpty();
    }

    /** Not with a secret that most do not have, nor while positions must be compared and this member cannot. */
    private boolean mayLead(Company company, Optional<Layout> layoutNow) {
        boolean orderNeeded =
                settings.lower() == null && layoutNow.filter(Layout::isDraining).isPresent();
        if (orderNeeded && !lacksOrder) {
            journal.noOrderOfPositions();
        }
        if (company.outnumbered() && !outnumbered) {
            journal.outnumbered();
        }
        lacksOrder = orderNeeded;
        outnumbered = company.outnumbered();
        return !orderNeeded && !outnumbered;
    }

    private void watchOwners(Layout now, LiveMembers members) {
        if (leads && !now.isDraining()) {
            owners.look(now, members);
        } else {
            owners.forget();
        }
    }

    private MemberState state() {
        if (isLeaving()) {
            return MemberState.LEAVING;
        }
        return ready ? MemberState.READY : MemberState.JOINING;
    }

    /** Who leaves waits for the leader to name heirs, so that the pause is short; but not for ever, nor when alone. */
    private boolean isPatienceOver(LiveMembers members) {
        Long since = leavingSince;
        return since != null
                && (members.incarnations().size() == 1
                        || clockwork.nanos() - since > settings.handoffTimeout().toNanos());
    }

    private boolean isLeaving() {
        return leavingSince != null;
    }

    void ready() {
        ready = true;
    }

    void leave() {
        if (leavingSince == null) {
            leavingSince = clockwork.nanos();
        }
    }

    /** Whether nothing is left to give up. */
    boolean hasLeft() {
        return left;
    }

    /** The last writes of a member that goes, while its lease still lives. */
    void sayGoodbye(Incarnation member) {
        leader.resign(member);
        registration.remove(member);
    }

    MemberState memberState() {
        return state();
    }

    LiveMembers live() {
        return live;
    }

    @Nullable
    Layout layout() {
        return layout;
    }

    boolean leads() {
        return leads;
    }

    /** Whether somebody leads, as last read. */
    boolean isLed() {
        LeaderRecord known = leader.known();
        return live.isLive(known.owner(), known.incarnation());
    }

    LeaderRecord knownLeader() {
        return leader.known();
    }

    OwnerWatch owners() {
        return owners;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
