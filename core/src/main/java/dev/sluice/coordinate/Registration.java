package dev.sluice.coordinate;

import dev.sluice.coordinate.identity.MemberRecord;
import dev.sluice.coordinate.identity.MemberState;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Keeps the member record beside the lease: written when an incarnation begins, and when its state changes. */
final class Registration {
    private final CoordinationStore store;
    private final GroupSettings settings;
    private final GroupKeys keys;
    private @Nullable MemberRecord record;
    private boolean written;

    Registration(CoordinationStore store, GroupSettings settings) {
        this.store = store;
        this.settings = settings;
        this.keys = new GroupKeys(settings.group());
    }

    /** Writes what has changed, if anything has. An unanswered write is followed by another, with a higher sequence. */
    void publish(Incarnation member, MemberState state) {
        if (written && isFor(member) && record != null && record.state() == state) {
            return;
        }
        MemberRecord next = next(member, state);
        record = next;
        written = false;
        String key = keys.member(member.id());
        long expected = store.get(key).map(Entry::revision).orElse(CoordinationStore.ABSENT);
        OptionalLong revision = member.lease().put(key, sign(next).toJson(), expected);
        written = revision.isPresent();
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

    /** Before the lease is closed, so that nobody else's record can be meant. */
    void remove(Incarnation member) {
        Optional<Entry> entry = store.get(keys.member(member.id()));
        if (entry.isPresent() && isFor(member)) {
            store.delete(entry.get().key(), entry.get().revision());
        }
    }
}
