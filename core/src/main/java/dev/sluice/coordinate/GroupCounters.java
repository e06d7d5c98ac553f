package dev.sluice.coordinate;

import java.util.concurrent.atomic.AtomicLong;

/** What happened since this member started. Any thread may read. */
public final class GroupCounters {
    final AtomicLong renewals = new AtomicLong();
    final AtomicLong claims = new AtomicLong();
    final AtomicLong failedClaims = new AtomicLong();
    final AtomicLong releases = new AtomicLong();
    final AtomicLong losses = new AtomicLong();
    final AtomicLong fencingRefusals = new AtomicLong();
    final AtomicLong saves = new AtomicLong();
    final AtomicLong forcedHandoffs = new AtomicLong();
    final AtomicLong rebalances = new AtomicLong();
    final AtomicLong moves = new AtomicLong();
    final AtomicLong skippedAssignments = new AtomicLong();
    final AtomicLong refusedMembers = new AtomicLong();
    final AtomicLong refusedAssignments = new AtomicLong();
    final AtomicLong storeFailures = new AtomicLong();
    final AtomicLong deaths = new AtomicLong();
    final AtomicLong faults = new AtomicLong();

    public long renewals() {
        return renewals.get();
    }

    /** Claims this member took. */
    public long claims() {
        return claims.get();
    }

    /** Attempts that another member was faster at. */
    public long failedClaims() {
        return failedClaims.get();
    }

    /** Claims given back in good order. */
    public long releases() {
        return releases.get();
    }

    /** Claims that were over without a release. */
    public long losses() {
        return losses.get();
    }

    /** Writes through a claim refused because another member has the partition. */
    public long fencingRefusals() {
        return fencingRefusals.get();
    }

    /** Positions written. */
    public long saves() {
        return saves.get();
    }

    /** Handoffs whose user did not finish in time. */
    public long forcedHandoffs() {
        return forcedHandoffs.get();
    }

    /** Assignments this member wrote as leader. */
    public long rebalances() {
        return rebalances.get();
    }

    /** Partitions those assignments took from one member and gave to another. */
    public long moves() {
        return moves.get();
    }

    /** Decisions, as leader, that changed nothing and so were not written. */
    public long skippedAssignments() {
        return skippedAssignments.get();
    }

    /** Member records that were not accepted: unsigned, altered or replayed. */
    public long refusedMembers() {
        return refusedMembers.get();
    }

    /** Assignments that no leader with the group's secret wrote: they were not followed. */
    public long refusedAssignments() {
        return refusedAssignments.get();
    }

    /** Calls of the store that were not answered. */
    public long storeFailures() {
        return storeFailures.get();
    }

    /** Lives of this member that ended because the lease was not renewed in time. */
    public long deaths() {
        return deaths.get();
    }

    /** Steps that ended by an exception nobody foresaw: a value in the store that is not ours, or a bug. */
    public long faults() {
        return faults.get();
    }
}
