package dev.sluice.coordinate;

import dev.sluice.coordinate.identity.MemberRecord;
import dev.sluice.coordinate.identity.MemberState;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Keeps the member record beside the lease: written when an incarnation begins, when its state changes, and
 * again when somebody else has touched it. */
final class Registration {
    private static final long UNKNOWN = -1;

    private final CoordinationStore store;
    private final GroupSettings settings;
    private final GroupKeys keys;
    private @Nullable MemberRecord record;
    private volatile long revision = UNKNOWN;
    private volatile boolean removed;

    Registration(CoordinationStore store, GroupSettings settings) {
        this.store = store;
        this.settings = settings;
        this.keys = new GroupKeys(settings.group());
    }

    /**
     * Writes the record unless it stands there as it should. An unanswered write is followed by another, with a higher
     * sequence.
     *
     * @return whether it stands there now; without it a member is nobody
     */
    boolean publish(Incarnation member, MemberState state) {
        if (removed) {
            return false;
        }
        String key = keys.member(member.id());
        long found = store.get(key).map(Entry::revision).orElse(CoordinationStore.ABSENT);
        if (found == revision && isFor(member) && record != null && record.state() == state) {
            return true;
        }
        MemberRecord next = next(member, state);
        record = next;
        revision = UNKNOWN;
        OptionalLong written = member.lease().put(key, sign(next).toJson(), found);
        revision = written.orElse(UNKNOWN);
        return written.isPresent();
    }

    private MemberRecord next(Incarnation member, MemberState state) {
        return record != null && isFor(member)
                ? record.next(state)
                : MemberRecord.joining(member.id(), member.name(), settings.weight(), settings.metadata())
                        .next(state);
    }

    private MemberRecord sign(MemberRecord unsigned) {
        return settings.secrets().isEmpty()
                ? unsigned
                : settings.secrets().get(0).sign(settings.group(), unsigned);
    }

    private boolean isFor(Incarnation member) {
        return record != null && record.incarnation().equals(member.name());
    }

    /** Only what this very incarnation wrote: the lease may have ended meanwhile, and a successor may have joined. */
    void remove(Incarnation member) {
        removed = true;
        if (revision != UNKNOWN && isFor(member)) {
            store.delete(keys.member(member.id()), revision);
        }
    }
}
