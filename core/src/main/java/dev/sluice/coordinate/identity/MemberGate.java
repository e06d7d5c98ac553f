package dev.sluice.coordinate.identity;

import dev.sluice.coordinate.identity.Admission.Admitted;
import dev.sluice.coordinate.identity.Admission.Cause;
import dev.sluice.coordinate.identity.Admission.Outdated;
import dev.sluice.coordinate.identity.Admission.Refused;
import dev.sluice.model.InvalidInputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides which member records count. One counts when it is well formed, lies under its own id, names the incarnation
 * that holds the id's lease, is signed with one of the secrets (if there are any), and is not older than what was
 * admitted before. Anything else is a {@link Refused} or {@link Outdated}, never an exception: the bytes in the store
 * may be a stranger's.
 *
 * <p>What was admitted is remembered for the last {@value #REMEMBERED} incarnations: a record with a lower sequence is a
 * replay (or a late read), and an incarnation that another one of the same id has followed never counts again. A gate
 * begins without memory, so for the first look of a new process an old signed record whose incarnation somebody gave
 * a lease again is as good as a new one; it can gain partitions, but not their claims' tokens. One thread uses it.
 */
public final class MemberGate {
    private static final int REMEMBERED = 4_096;

    private final String group;
    private final List<MemberSecret> secrets;
    private final Map<String, MemberRecord> newest = new Bounded<>();
    private final Map<String, Boolean> ended = new Bounded<>();

    /** @param secrets any of them is good, so that one can be exchanged without stopping all; none: not checked */
    public MemberGate(String group, List<MemberSecret> secrets) {
        this.group = group;
        this.secrets = List.copyOf(secrets);
    }

    /**
     * @param id whose key the bytes were found under
     * @param holder which incarnation holds the lease of this id
     */
    public Admission admit(String id, byte[] value, String holder) {
        MemberRecord member;
        try {
            member = MemberRecord.parse(value);
        } catch (InvalidInputException e) {
            return refused(id, Cause.MALFORMED, "is " + e.getMessage());
        }
        if (!secrets.isEmpty() && member.signature().isEmpty()) {
            return refused(id, Cause.UNSIGNED, "is not signed; give the member the group's secret");
        }
        if (!secrets.isEmpty() && secrets.stream().noneMatch(secret -> secret.signed(group, member))) {
            return refused(id, Cause.ALTERED, "is not what a member of this group signed: other secret, or altered");
        }
        if (!member.id().equals(id)) {
            return refused(id, Cause.FOREIGN, "is that of another member");
        }
        if (!member.incarnation().equals(holder)) {
            return refused(id, Cause.FOREIGN, "is not of the incarnation that holds the lease");
        }
        return remembered(member);
    }

    private Admission remembered(MemberRecord member) {
        String id = member.id();
        if (ended.containsKey(id + '/' + member.incarnation())) {
            return refused(id, Cause.ENDED, "is of an incarnation that another has followed");
        }
        MemberRecord known = newest.get(id);
        if (known != null && !known.incarnation().equals(member.incarnation())) {
            ended.put(id + '/' + known.incarnation(), true);
        } else if (known != null && member.sequence() < known.sequence()) {
            return new Outdated(known);
        }
        newest.put(id, member);
        return new Admitted(member);
    }

    private static Refused refused(String id, Cause cause, String reason) {
        return new Refused(id, cause, "the record of member " + id + ' ' + reason);
    }

    /** Forgets what was not asked for longest, so that a flood of ids costs no memory. */
    private static final class Bounded<V> extends LinkedHashMap<String, V> {
        private static final long serialVersionUID = 1L;

        Bounded() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > REMEMBERED;
        }
    }
}
