package dev.sluice.coordinate;

import dev.sluice.coordinate.identity.MemberState;
import dev.sluice.model.FencingToken;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One member's view of its group, for health checks and the admin API.
 *
 * @param member its id; empty while it has none, because it has not joined yet or its life is over
 * @param members the ids of those that live, by the last answer of the store
 * @param leader the id of the leader; empty when nobody is known to lead
 * @param generation of the layout; 0 before the first
 * @param changing whether the number of partitions is being changed: nobody owns anything meanwhile
 * @param withoutOwner how long partitions have had no live owner; only the leader knows, the others say nothing
 * @param storeAwayFor zero when the store answers
 * @param storeAwayReason why it does not
 */
public record GroupStatus(
        String group,
        String member,
        String incarnation,
        MemberState state,
        List<String> members,
        String leader,
        boolean leads,
        long generation,
        int partitions,
        boolean changing,
        List<Owned> owned,
        Map<Integer, Duration> withoutOwner,
        Duration storeAwayFor,
        String storeAwayReason) {

    /** A partition this member owns. */
    public record Owned(int partition, FencingToken token, String position) {}

    /** Healthy: a member, and the store answers. */
    public boolean isHealthy() {
        return !member.isEmpty() && storeAwayFor.isZero();
    }

    /** One sentence for people. */
    public String sentence() {
        if (member.isEmpty()) {
            return storeAwayFor.isZero()
                    ? "not a member of " + group + " yet"
                    : "not a member of " + group + ": the store has not answered for " + storeAwayFor.toSeconds()
                            + " s (" + storeAwayReason + "); goes on alone when it does";
        }
        return storeAwayFor.isZero()
                ? member + " owns " + owned.size() + " of " + partitions + " partitions of " + group
                : member + " keeps its " + owned.size()
                        + " partitions until its deadline: the store has not answered for " + storeAwayFor.toSeconds()
                        + " s (" + storeAwayReason + ")";
    }
}
