package dev.sluice.outbox.log;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.coordinate.assign.StabiliserSettings;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One of the Pullers that would read this outbox: one of them holds the claim, the others wait for it. The group is named after
 * nothing: the table is the only one in its database, whatever each Puller calls it.
 */
final class SoleReader implements PartitionUser, AutoCloseable {
    private static final String GROUP = "outbox-log";

    private final String node;
    private final Group group;
    private @Nullable Claim claim;

    SoleReader(CoordinationStore store, String node, Duration lease) {
        this.node = node;
        this.group = Group.start(
                store,
                GroupSettings.of(GROUP, MemberIds.fixed(node), 1)
                        .withLease(lease)
                        .withStabiliser(StabiliserSettings.IMMEDIATE),
                this);
    }

    /** The claim, when it is ours within this time. */
    synchronized Optional<Claim> await(Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        long left = patience.toNanos();
        while ((claim == null || !claim.isHeld()) && left > 0) {
            wait(Math.max(1, left / 1_000_000));
            left = end - System.nanoTime();
        }
        return Optional.ofNullable(claim).filter(Claim::isHeld);
    }

    /** Why there is no claim, for people. */
    String waitingFor() {
        var status = group.status();
        var others =
                status.members().stream().filter(member -> !member.equals(node)).toList();
        return !status.isHealthy()
                ? status.sentence()
                : "the outbox is read by one Puller at a time"
                        + (others.isEmpty()
                                ? ", and the one before may still live"
                                : ", now " + String.join(" or ", others))
                        + ": this one takes over when that one stops";
    }

    @Override
    public synchronized void assigned(Claim taken) {
        claim = taken;
        notifyAll();
    }

    @Override
    public void revoking(Claim given) {
        drop(given);
    }

    @Override
    public void lost(Claim gone) {
        drop(gone);
    }

    private synchronized void drop(Claim gone) {
        if (gone.equals(claim)) {
            claim = null;
        }
    }

    @Override
    public void close() {
        group.close();
    }
}
