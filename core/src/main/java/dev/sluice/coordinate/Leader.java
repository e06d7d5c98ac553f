package dev.sluice.coordinate;

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
    private volatile LeaderRecord known = LeaderRecord.NOBODY;

    Leader(CoordinationStore store, GroupKeys keys, GroupJournal journal) {
        this.store = store;
        this.keys = keys;
        this.journal = journal;
    }

    /** Read before the members are, so that a leader they do not list is known to be dead. */
    Optional<Entry> read() {
        return store.get(keys.leader());
    }

    /** The epoch under which this member leads; empty when another does, or nobody yet. */
    OptionalLong elect(Incarnation member, Optional<Entry> read, LiveMembers live, boolean runs) {
        LeaderRecord now = read.map(LeaderRecord::of).orElse(LeaderRecord.NOBODY);
        if (!now.owner().isEmpty() && live.isLive(now.owner(), now.incarnation())) {
            return follow(member, now);
        }
        if (!runs) {
            return follow(member, now);
        }
        LeaderRecord mine = now.nextTo(member);
        OptionalLong revision = member.lease()
                .put(keys.leader(), mine.toBytes(), read.map(Entry::revision).orElse(CoordinationStore.ABSENT));
        return revision.isPresent() ? follow(member, mine) : OptionalLong.empty();
    }

    private OptionalLong follow(Incarnation member, LeaderRecord now) {
        if (!now.equals(known)) {
            if (isMine(member, known)) {
                journal.deposed(known, now);
            }
            known = now;
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
