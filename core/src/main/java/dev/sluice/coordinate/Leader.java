package dev.sluice.coordinate;

import dev.sluice.coordinate.Recognition.Company;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The election: one value names the leader's incarnation, and whoever finds that one dead puts itself in its place by a
 * compare-and-set that raises the epoch. To believe to lead is worth nothing by itself: the leader's writes carry its epoch
 * and expect revisions, see {@link LeaderDuties}.
 */
final class Leader {
    private final CoordinationStore store;
    private final GroupKeys keys;
    private final GroupJournal journal;
    private final Assignments assignments;
    private final Clockwork clockwork;
    private final Duration truce;
    private long knownSince;
    private volatile LeaderRecord known = LeaderRecord.NOBODY;

    /** @param truce how long a stranger that leads is left alone: should it be one that does the same, both get their time */
    Leader(
            CoordinationStore store,
            GroupKeys keys,
            GroupJournal journal,
            Assignments assignments,
            Clockwork clockwork,
            Duration truce) {
        this.assignments = assignments;
        this.clockwork = clockwork;
        this.truce = truce;

        this.store = store;
        this.keys = keys;
        this.journal = journal;
    }

    /** Read before the members are, so that a leader they do not list is known to be dead. */
    Optional<Entry> read() {
        return store.get(keys.leader());
    }

    /**
     * The epoch under which this member leads; empty when another does, or nobody yet.
     *
     * @param live all that hold leases, also those that {@code company} does not recognise
     */
    OptionalLong elect(Incarnation member, Optional<Entry> read, LiveMembers live, Company company, boolean runs) {
        LeaderRecord now = read.map(LeaderRecord::of).orElse(LeaderRecord.NOBODY);
        boolean led = !now.owner().isEmpty() && live.isLive(now.owner(), now.incarnation());
        boolean byStranger = led && company.strangers().contains(now.owner());
        if (led || !runs) {
            OptionalLong leads = follow(member, now);
            if (!runs || !byStranger || !isTruceOver()) {
                return leads;
            }
        }
        LeaderRecord mine = now.nextTo(member, assignments.read().epoch());
        OptionalLong revision = member.lease()
                .put(keys.leader(), mine.toBytes(), read.map(Entry::revision).orElse(CoordinationStore.ABSENT));
        return revision.isPresent() ? follow(member, mine) : OptionalLong.empty();
    }

    private boolean isTruceOver() {
        return clockwork.nanos() - knownSince > truce.toNanos();
    }

    private OptionalLong follow(Incarnation member, LeaderRecord now) {
        if (!now.equals(known)) {
            if (isMine(member, known)) {
                journal.deposed(known, now);
            }
            known = now;
            knownSince = clockwork.nanos();
            journal.led(now);
        }
        return isMine(member, now) ? OptionalLong.of(now.epoch()) : OptionalLong.empty();
    }

    private static boolean isMine(Incarnation member, LeaderRecord now) {
        return now.owner().equals(member.id()) && now.incarnation().equals(member.name());
    }

    /** So that the next election need not wait for the end of a lease. */
    void resign(Incarnation member) {
        Optional<Entry> entry = read();
        Optional<LeaderRecord> now = entry.map(LeaderRecord::of).filter(record -> isMine(member, record));
        if (entry.isPresent() && now.isPresent()) {
            member.lease()
                    .put(
                            keys.leader(),
                            now.get().resigned().toBytes(),
                            entry.get().revision());
        }
    }

    /** As last read. */
    LeaderRecord known() {
        return known;
    }
}
