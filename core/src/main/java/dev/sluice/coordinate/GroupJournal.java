package dev.sluice.coordinate;

import dev.sluice.coordinate.assign.Verdict.Reason;
import dev.sluice.coordinate.audit.AuditTrail;
import dev.sluice.coordinate.identity.Admission;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What operators are told about one member of one group: one structured line per thing that happens, the counter that goes
 * with it, and whether the store answers. Any thread may tell.
 */
final class GroupJournal {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.coordinate");

    private final String group;
    private final Clockwork clockwork;
    private final AuditTrail audit;
    private final GroupCounters counters = new GroupCounters();
    private volatile @Nullable Long awaySince;
    private volatile String awayReason = "";
    private volatile String member = "";
    private volatile boolean waitsForId;

    GroupJournal(String group, Clockwork clockwork, AuditTrail audit) {
        this.group = group;
        this.clockwork = clockwork;
        this.audit = audit;
    }

    AuditTrail audit() {
        return audit;
    }

    GroupCounters counters() {
        return counters;
    }

    void joined(Incarnation joined) {
        member = joined.id();
        waitsForId = false;
        audit.joined(joined.id(), joined.name());
    }

    void left(Incarnation gone) {
        audit.left(gone.id());
    }

    /** This life of the member ended without its doing. */
    void died(Incarnation gone, String why) {
        counters.deaths.incrementAndGet();
        audit.died(gone.id());
        say(LOG.atWarn())
                .addKeyValue("incarnation", gone.name())
                .addKeyValue("reason", why)
                .log("this life of the member is over; the next begins when the store answers");
    }

    /** Told once until the member has joined. */
    void noFreeId(List<String> ids) {
        if (!waitsForId) {
            waitsForId = true;
            say(LOG.atWarn())
                    .addKeyValue("ids", ids.size() == 1 ? ids.get(0) : ids.size())
                    .log("no member id is free yet: another process has it, or its last life has not ended");
        }
    }

    void renewed() {
        counters.renewals.incrementAndGet();
        storeAnswered();
    }

    void storeAnswered() {
        Long since = awaySince;
        if (since != null) {
            awaySince = null;
            say(LOG.atInfo())
                    .addKeyValue(
                            "awayMs",
                            Duration.ofNanos(clockwork.nanos() - since).toMillis())
                    .log("the store answers again");
        }
    }

    void storeAway(StoreUnavailableException e) {
        counters.storeFailures.incrementAndGet();
        awayReason = String.valueOf(e.getMessage());
        if (awaySince == null) {
            awaySince = clockwork.nanos();
            say(LOG.atWarn())
                    .addKeyValue("reason", awayReason)
                    .log("the store does not answer: what is owned is kept until its deadline, nothing new is taken");
        }
    }

    void led(LeaderRecord leader) {
        if (!leader.owner().isEmpty()) {
            audit.elected(leader.owner(), leader.epoch());
        }
    }

    void deposed(LeaderRecord before, LeaderRecord now) {
        audit.deposed(before.owner(), "epoch " + now.epoch() + " follows epoch " + before.epoch());
    }

    void assigned(Assignment assignment, Reason reason, int moves) {
        counters.rebalances.incrementAndGet();
        counters.moves.addAndGet(moves);
        int members = Set.copyOf(assignment.owners().values()).size();
        audit.reassigned(member, members, moves, reason.name().toLowerCase(Locale.ROOT));
    }

    void assignmentSkipped() {
        counters.skippedAssignments.incrementAndGet();
    }

    void memberRefused(Admission.Refused refused) {
        counters.refusedMembers.incrementAndGet();
        audit.refused(refused.id(), refused.reason());
    }

    void assignmentRefused(String reason) {
        counters.refusedAssignments.incrementAndGet();
        audit.refused(member, reason);
    }

    /** Told when it begins. */
    void outnumbered() {
        say(LOG.atError())
                .log("more members have another secret than this one: it owns nothing until its secret is put right");
    }

    void claimFailed(int partition) {
        counters.failedClaims.incrementAndGet();
        say(LOG.atDebug()).addKeyValue("partition", partition).log("another was faster, or the lease has ended");
    }

    void claimed(int partition, ClaimRecord mine, ClaimRecord before) {
        counters.claims.incrementAndGet();
        audit.claimed(member, partition, mine.token(), before.owner());
    }

    void saved() {
        counters.saves.incrementAndGet();
    }

    void released(Claim claim) {
        counters.releases.incrementAndGet();
        audit.released(member, claim.partition(), claim.token(), "at " + claim.position());
    }

    void handoffForced(Claim claim, Duration timeout) {
        counters.forcedHandoffs.incrementAndGet();
        say(LOG.atWarn(), claim)
                .addKeyValue("timeoutMs", timeout.toMillis())
                .log("the user did not give the partition up in time: released with the last position it reported");
    }

    void lost(Claim claim, String why) {
        counters.losses.incrementAndGet();
        audit.lost(member, claim.partition(), claim.token(), why);
    }

    void refused(Claim claim) {
        counters.fencingRefusals.incrementAndGet();
        audit.refused(member, claim.partition(), claim.token(), "another member has the partition");
    }

    void draining(Layout layout) {
        audit.layout(member, layout.generation(), "draining, for " + layout.partitions() + " partitions");
    }

    void opened(Layout layout) {
        audit.layout(member, layout.generation(), "open at " + layout.start());
    }

    void noOrderOfPositions() {
        say(LOG.atError())
                .log("this member does not lead while the number of partitions changes: its settings do not say which"
                        + " position is lower");
    }

    void userFailed(String what, Claim claim, Throwable e) {
        say(LOG.atError(), claim).addKeyValue("call", what).setCause(e).log("the partition's user failed");
    }

    void takeoverFailed(int partition, ClaimRecord claim, Throwable e) {
        say(LOG.atError())
                .addKeyValue("partition", partition)
                .addKeyValue("token", claim.token())
                .addKeyValue("deadOwner", claim.owner())
                .setCause(e)
                .log(
                        "the position of a dead member's partition could not be decided: the partition stays without owner,"
                                + " retried");
    }

    void failed(String what, Throwable e) {
        counters.faults.incrementAndGet();
        say(LOG.atError()).addKeyValue("where", what).setCause(e).log("coordination failed, and goes on");
    }

    /** How long the store has not answered; zero when it does. */
    Duration storeAwayFor() {
        Long since = awaySince;
        return since == null ? Duration.ZERO : Duration.ofNanos(clockwork.nanos() - since);
    }

    String storeAwayReason() {
        return awayReason;
    }

    private LoggingEventBuilder say(LoggingEventBuilder line, Claim claim) {
        return say(line).addKeyValue("partition", claim.partition()).addKeyValue("token", claim.token());
    }

    private LoggingEventBuilder say(LoggingEventBuilder line) {
        return line.addKeyValue("group", group).addKeyValue("member", member);
    }
}
