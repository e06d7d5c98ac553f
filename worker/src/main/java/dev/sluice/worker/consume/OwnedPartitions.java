package dev.sluice.worker.consume;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.worker.Partition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Follows the group: partitions that come and go, and the lives of this worker they belong to. */
public final class OwnedPartitions implements PartitionUser {
    private final Session.Plan plan;
    private final Runnable refresh;
    /** Claims of partitions that are not in the directory yet, by index. */
    private final Map<Integer, Claim> waiting = new ConcurrentHashMap<>();

    private @Nullable Session session;
    private boolean closed;

    /** @param refresh reads the directory again */
    public OwnedPartitions(Session.Plan plan, Runnable refresh) {
        this.plan = plan;
        this.refresh = refresh;
    }

    @Override
    public void assigned(Claim claim) {
        Optional<Partition> partition = partition(claim);
        if (partition.isEmpty()) {
            refresh.run();
            partition = partition(claim);
        }
        if (partition.isPresent()) {
            sessionOf(claim).take(claim, partition.get());
        } else {
            waiting.put(claim.partition(), claim);
        }
    }

    private Optional<Partition> partition(Claim claim) {
        return plan.context().partitions().at(claim.partition());
    }

    /**
     * Takes claims whose partitions have come into the directory since. For one thread only. A group has at least one
     * partition, so it may have one more than the stream has subjects of a pattern.
     */
    public void takeWaiting() {
        for (Claim claim : List.copyOf(waiting.values())) {
            partition(claim).ifPresent(partition -> {
                Session taker = sessionOf(claim);
                taker.take(claim, partition);
                if (!waiting.remove(claim.partition(), claim)) {
                    taker.lose(claim);
                }
            });
        }
    }

    private Session sessionOf(Claim claim) {
        Session next;
        Session over = null;
        synchronized (this) {
            Session now = session;
            if (closed || !claim.isHeld()) {
                throw new IllegalStateException("partition " + claim.partition() + " is no longer this worker's");
            }
            if (now != null && now.isOf(claim)) {
                next = now;
            } else {
                over = now;
                next = new Session(plan, claim.member(), claim.incarnation());
                session = next;
            }
        }
        try {
            if (over != null) {
                over.close();
            }
        } finally {
            next.start();
        }
        return next;
    }

    @Override
    public void revoking(Claim claim) {
        waiting.remove(claim.partition(), claim);
        current().filter(now -> now.isOf(claim)).ifPresent(now -> now.handOver(claim));
    }

    @Override
    public void lost(Claim claim) {
        waiting.remove(claim.partition(), claim);
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
