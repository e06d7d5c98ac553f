package dev.sluice.coordinate;

import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.assign.StickyAssigner;
import dev.sluice.coordinate.identity.MemberRecord;
import dev.sluice.coordinate.identity.MemberSecret;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How one member takes part in one group. Group, partitions and assigner must be the same for all its members.
 *
 * @param group the path all keys of the group stand below, such as {@code sluice/streamer}
 * @param partitions how many a new group starts with; later the stored number counts, see {@link Group#changePartitions}
 * @param lease how long a member that fell silent is waited for before others take what it owned
 * @param beat how often a member renews its lease, at most half of that; null: as the lease demands
 * @param handoffTimeout how long the user of a partition may take to give it up
 * @param waitsUntilReady whether the member owns nothing before {@link Group#ready()} is called
 * @param stabiliser how long changes of members are gathered before partitions move
 * @param secrets sign and check member records and assignments: the first signs, any of them is good; none: not checked
 * @param lower of two positions the lower one; null when the number of partitions never changes
 * @param takeover decides where a dead owner's partition goes on; null: at the position in its claim
 */
public record GroupSettings(
        String group,
        MemberIds ids,
        int partitions,
        Duration lease,
        @Nullable Duration beat,
        Duration handoffTimeout,
        SavePolicy savePolicy,
        int weight,
        Map<String, String> metadata,
        boolean waitsUntilReady,
        Assigner assigner,
        StabiliserSettings stabiliser,
        List<MemberSecret> secrets,
        @Nullable BinaryOperator<String> lower,
        @Nullable Takeover takeover) {

    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(10);
    public static final Duration DEFAULT_HANDOFF_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(300);
    private static final Duration RELAXED_LEASE = Duration.ofMinutes(2);
    private static final Duration LONGEST_HEARTBEAT = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofSeconds(1);

    public GroupSettings {
        Keys.checkPrefix(group + "/");
        Layout.first(partitions);
        metadata = Map.copyOf(metadata);
        secrets = List.copyOf(secrets);
        MemberRecord.joining("any", "any", weight, metadata);
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new InvalidInputException("a lease lives at least " + SHORTEST_LEASE.toMillis() + " ms, not "
                    + lease.toMillis() + " ms: a shorter one ends by an ordinary pause");
        }
        if (beat != null && (!beat.isPositive() || beat.multipliedBy(2).compareTo(lease) > 0)) {
            throw new InvalidInputException("a lease of " + lease.toMillis()
                    + " ms is renewed at least twice in its time, not" + " every " + beat.toMillis() + " ms");
        }
        if (handoffTimeout.isNegative() || handoffTimeout.isZero()) {
            throw new InvalidInputException("the handoff timeout must be above 0, not " + handoffTimeout);
        }
    }

    /** With the defaults of everything else. */
    public static GroupSettings of(String group, MemberIds ids, int partitions) {
        return new GroupSettings(
                group,
                ids,
                partitions,
                DEFAULT_LEASE,
                null,
                DEFAULT_HANDOFF_TIMEOUT,
                SavePolicy.DEFAULT,
                1,
                Map.of(),
                false,
                new StickyAssigner(),
                StabiliserSettings.DEFAULT,
                List.of(),
                null,
                null);
    }

    public GroupSettings withLease(Duration newLease) {
        return with(draft -> draft.lease = newLease);
    }

    /** Renews the lease this often; set the lease first. */
    public GroupSettings withBeat(@Nullable Duration newBeat) {
        return with(draft -> draft.beat = newBeat);
    }

    /** For members that come and go slowly: a heartbeat every 30 s, a lease of 2 minutes, wide windows. */
    public GroupSettings relaxed() {
        return withLease(RELAXED_LEASE).withStabiliser(StabiliserSettings.RELAXED);
    }

    public GroupSettings withHandoffTimeout(Duration timeout) {
        return with(draft -> draft.handoffTimeout = timeout);
    }

    public GroupSettings withSavePolicy(SavePolicy policy) {
        return with(draft -> draft.savePolicy = policy);
    }

    public GroupSettings withWeight(int newWeight) {
        return with(draft -> draft.weight = newWeight);
    }

    public GroupSettings withMetadata(Map<String, String> data) {
        return with(draft -> draft.metadata = data);
    }

    public GroupSettings waitingUntilReady() {
        return with(draft -> draft.waitsUntilReady = true);
    }

    public GroupSettings withAssigner(Assigner newAssigner) {
        return with(draft -> draft.assigner = newAssigner);
    }

    public GroupSettings withStabiliser(StabiliserSettings windows) {
        return with(draft -> draft.stabiliser = windows);
    }

    public GroupSettings withSecrets(List<MemberSecret> shared) {
        return with(draft -> draft.secrets = shared);
    }

    /** Needed to change the number of partitions. Either may be empty, of a partition that has saved nothing. */
    public GroupSettings withLower(BinaryOperator<String> ofTwo) {
        return with(draft -> draft.lower = ofTwo);
    }

    /** Asks this for the position of every partition that is taken over from a dead owner. */
    public GroupSettings withTakeover(@Nullable Takeover positions) {
        return with(draft -> draft.takeover = positions);
    }

    private GroupSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new GroupSettings(
                group,
                ids,
                partitions,
                draft.lease,
                draft.beat,
                draft.handoffTimeout,
                draft.savePolicy,
                draft.weight,
                draft.metadata,
                draft.waitsUntilReady,
                draft.assigner,
                draft.stabiliser,
                draft.secrets,
                draft.lower,
                draft.takeover);
    }

    /** A copy in which one thing is changed. */
    private static final class Draft {
        Duration lease;

        @Nullable
        Duration beat;

        Duration handoffTimeout;
        SavePolicy savePolicy;
        int weight;
        Map<String, String> metadata;
        boolean waitsUntilReady;
        Assigner assigner;
        StabiliserSettings stabiliser;
        List<MemberSecret> secrets;

        @Nullable
        BinaryOperator<String> lower;

        @Nullable
        Takeover takeover;

        Draft(GroupSettings settings) {
            lease = settings.lease;
            beat = settings.beat;
            handoffTimeout = settings.handoffTimeout;
            savePolicy = settings.savePolicy;
            weight = settings.weight;
            metadata = settings.metadata;
            waitsUntilReady = settings.waitsUntilReady;
            assigner = settings.assigner;
            stabiliser = settings.stabiliser;
            secrets = settings.secrets;
            lower = settings.lower;
            takeover = settings.takeover;
        }
    }

    /**
     * How often the lease is renewed. Without a beat of its own: two renewals may fail, the third must not. With two timeouts of an eighth of the lease, each followed by {@link
     * #retry()}, it is sent before six tenths of the lease are over, and {@link #life()} is eight.
     */
    Duration heartbeat() {
        if (beat != null) {
            return beat;
        }
        Duration quarter = lease.dividedBy(4);
        return quarter.compareTo(LONGEST_HEARTBEAT) < 0 ? quarter : LONGEST_HEARTBEAT;
    }

    /** How long an incarnation acts after a renewal was sent: a fifth less than the store lets its lease live. */
    Duration life() {
        return lease.minus(lease.dividedBy(5));
    }

    /** How often the store is asked who lives and who shall own what: expiry reaches no watcher in some stores. */
    Duration poll() {
        Duration tenth = lease.dividedBy(10);
        return tenth.compareTo(POLL) < 0 ? tenth : POLL;
    }

    /** Until the next try after the store did not answer. */
    Duration retry() {
        return poll().dividedBy(2);
    }

    /** A restarted process waits so long for the id it had: its last lease, and the time to see that it ended. */
    Duration patienceForOwnId() {
        return lease.plus(poll().multipliedBy(2));
    }
}
