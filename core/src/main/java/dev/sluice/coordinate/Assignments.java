package dev.sluice.coordinate;

import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.model.InvalidInputException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The assignment as it stands in the store. Where the group has a secret it is signed, and one that is not counts for
 * nothing: the last one that did still holds, so that a stranger cannot send members anywhere. One thread uses it.
 */
final class Assignments {
    private static final long NEVER_READ = -1;

    private final CoordinationStore store;
    private final String group;
    private final String key;
    private final List<MemberSecret> secrets;
    private final GroupJournal journal;
    private Assignment last = Assignment.NONE;
    private long revision = NEVER_READ;
    private boolean refused;

    Assignments(CoordinationStore store, GroupSettings settings, GroupJournal journal) {
        this.store = store;
        this.group = settings.group();
        this.key = new GroupKeys(group).assignment();
        this.secrets = settings.secrets();
        this.journal = journal;
    }

    /** Parsed only when it has changed: it is read by everybody all the time, and long where there are many partitions. */
    Assignment read() {
        Optional<Entry> entry = store.get(key);
        long now = entry.map(Entry::revision).orElse(CoordinationStore.ABSENT);
        if (now != revision) {
            Assignment found = entry.isEmpty() ? Assignment.NONE : genuine(entry.get());
            refused = found == null;
            last = found == null ? last : found;
            revision = now;
        }
        return last;
    }

    /** What {@link #read} returned last. */
    Assignment last() {
        return last;
    }

    private @Nullable Assignment genuine(Entry entry) {
        if (secrets.isEmpty()) {
            return Assignment.of(entry);
        }
        try {
            Assignment found = Assignment.of(entry);
            String signature = Assignment.signature(entry);
            if (secrets.stream().anyMatch(secret -> secret.signed(group, found.toBytes(), signature))) {
                return found;
            }
            journal.assignmentRefused("the assignment is not what a leader of this group signed");
        } catch (InvalidInputException e) {
            journal.assignmentRefused("the assignment is not readable");
        }
        return null;
    }

    /** Whether what was read last counts for nothing, and should be replaced. */
    boolean isRefused() {
        return refused;
    }

    /** Replaces what was read last, unless somebody did already, or the leader's lease has ended. */
    boolean write(Incarnation leader, Assignment next) {
        byte[] value =
                secrets.isEmpty() ? next.toBytes() : next.toBytes(secrets.get(0).sign(group, next.toBytes()));
        OptionalLong written = leader.lease().put(key, value, revision);
        if (written.isPresent()) {
            last = next;
            revision = written.getAsLong();
            refused = false;
        }
        return written.isPresent();
    }
}
