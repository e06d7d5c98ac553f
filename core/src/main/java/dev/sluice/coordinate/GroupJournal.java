package dev.sluice.coordinate;

import dev.sluice.coordinate.assign.Verdict.Reason;
import dev.sluice.coordinate.identity.Admission;
import java.time.Duration;
import java.util.List;
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
    private final GroupCounters counters = new GroupCounters();
    private volatile @Nullable Long awaySince;
    private volatile String awayReason = "";
    private volatile String member = "";

    GroupJournal(String group, Clockwork clockwork) {
        this.group = group;
        this.clockwork = clockwork;
    }

    GroupCounters counters() {
        return counters;
    }

    void joined(Incarnation joined) {
        member = joined.id();
        say(LOG.atInfo()).addKeyValue("incarnation", joined.name()).log("joined");
    }

    void over(Incarnation gone, String why) {
        say(LOG.atInfo())
                .addKeyValue("incarnation", gone.name())
                .addKeyValue("reason", why)
                .log("this life of the member is over");
    }

    void noFreeId(List<String> ids) {
        say(LOG.atWarn())
                .addKeyValue("ids", ids.size() == 1 ? ids.get(0) : ids.size())
                .log("no member id is free: another process has it, or its last life has not ended yet");
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
        say(LOG.atInfo())
                .addKeyValue("leader", leader.owner())
                .addKeyValue("epoch", leader.epoch())
                .log("leader");
    }

    void assigned(Assignment assignment, Reason reason, int moves) {
        counters.rebalances.incrementAndGet();
        counters.moves.addAndGet(moves);
        say(LOG.atInfo())
                .addKeyValue("reason", reason)
                .addKeyValue("generation", assignment.generation())
                .addKeyValue("epoch", assignment.epoch())
                .addKeyValue("moves", moves)
                .log("partitions assigned");
    }

    void assignmentSkipped() {
        counters.skippedAssignments.incrementAndGet();
    }

    void memberRefused(Admission.Refused refused) {
        counters.refusedMembers.incrementAndGet();
        say(LOG.atWarn())
                .addKeyValue("id", refused.id())
                .addKeyValue("cause", refused.cause())
                .addKeyValue("reason", refused.reason())
                .log("a member record does not count");
    }

    void claimFailed(int partition) {
        counters.failedClaims.incrementAndGet();
        say(LOG.atDebug()).addKeyValue("partition", partition).log("another was faster, or the lease has ended");
    }

    void claimed(int partition, ClaimRecord mine, ClaimRecord before) {
        counters.claims.incrementAndGet();
        say(LOG.atInfo())
                .addKeyValue("partition", partition)
                .addKeyValue("token", mine.token())
                .addKeyValue("position", mine.position())
                .addKeyValue("from", before.isFree() ? "released" : before.owner())
                .log("claimed");
    }

    void saved() {
        counters.saves.incrementAndGet();
    }

    void released(Claim claim) {
        counters.releases.incrementAndGet();
        say(LOG.atInfo(), claim).addKeyValue("position", claim.position()).log("released");
    }

    void handoffForced(Claim claim, Duration timeout) {
        counters.forcedHandoffs.incrementAndGet();
        say(LOG.atWarn(), claim)
                .addKeyValue("timeoutMs", timeout.toMillis())
                .log("the user did not give the partition up in time: released with the last position it reported");
    }

    void lost(Claim claim, String why) {
        counters.losses.incrementAndGet();
        say(LOG.atWarn(), claim).addKeyValue("reason", why).log("lost");
    }

    void refused(Claim claim) {
        counters.fencingRefusals.incrementAndGet();
        say(LOG.atWarn(), claim).log("a write was refused: another member has the partition");
    }

    void opened(Layout layout) {
        say(LOG.atInfo())
                .addKeyValue("generation", layout.generation())
                .addKeyValue("partitions", layout.partitions())
                .addKeyValue("start", layout.start())
                .log("layout open");
    }

    void noOrderOfPositions() {
        say(LOG.atError())
                .log(
                        "the number of partitions cannot change: the leader's settings do not say which position is lower");
    }

    void userFailed(String what, Claim claim, RuntimeException e) {
        say(LOG.atError(), claim).addKeyValue("call", what).setCause(e).log("the partition's user failed");
    }

    void failed(String what, RuntimeException e) {
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
