package dev.sluice.worker.consume;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.worker.Partition;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Follows the group: partitions that come and go, and the lives of this worker they belong to. */
public final class OwnedPartitions implements PartitionUser {
    private final Session.Plan plan;
    private @Nullable Session session;
    private boolean closed;

    public OwnedPartitions(Session.Plan plan) {
        this.plan = plan;
    }

    @Override
    public void assigned(Claim claim) {
        Partition partition = plan.context()
                .partitions()
                .at(claim.partition())
                .orElseThrow(() -> new IllegalStateException(
                        "partition " + claim.partition() + " is not in the directory of the group yet; tried again"));
        sessionOf(claim).take(claim, partition);
    }

    private Session sessionOf(Claim claim) {
        Session next;
        Session over;
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the worker is closed");
            }
            Session now = session;
            if (now != null && now.isOf(claim)) {
                return now;
            }
            over = now;
            next = new Session(plan, claim.member(), claim.incarnation());
            session = next;
        }
        if (over != null) {
            over.close();
        }
        next.start();
        return next;
    }

    @Override
    public void revoking(Claim claim) {
        current().filter(now -> now.isOf(claim)).ifPresent(now -> now.handOver(claim));
    }

    @Override
    public void lost(Claim claim) {
        current().filter(now -> now.isOf(claim)).ifPresent(now -> now.lose(claim));
    }

    public synchronized Optional<Session> current() {
        return Optional.ofNullable(session);
    }

    public void close() {
        Session over;
        synchronized (this) {
            closed = true;
            over = session;
        }
        if (over != null) {
            over.close();
        }
    }
}
