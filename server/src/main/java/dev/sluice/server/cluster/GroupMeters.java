package dev.sluice.server.cluster;

import dev.sluice.coordinate.GroupCounters;
import dev.sluice.coordinate.GroupStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Every metric of a group, {@code sluice_cluster_*}, labelled with the group's name. They are read from the group when
 * Prometheus asks. How long each single partition has been without an owner is in the admin view, not here: thousands of
 * partitions would make thousands of series.
 */
public final class GroupMeters {
    private static final String PREFIX = "sluice.cluster.";

    private final MeterRegistry registry;
    private final Supplier<GroupStatus> status;
    private final GroupCounters counters;
    private final String name;

    private GroupMeters(MeterRegistry registry, Supplier<GroupStatus> status, GroupCounters counters) {
        this.registry = registry;
        this.status = status;
        this.counters = counters;
        this.name = status.get().group();
    }

    public static void bind(MeterRegistry registry, Supplier<GroupStatus> status, GroupCounters counters) {
        GroupMeters meters = new GroupMeters(registry, status, counters);
        meters.gauges();
        meters.ofMembers();
        meters.ofPartitions();
    }

    private void gauges() {
        gauge(
                "members",
                "Members alive, as this one sees it",
                it -> it.members().size());
        gauge("leader", "1 on the member that leads", it -> it.leads() ? 1 : 0);
        gauge(
                "owned.partitions",
                "Partitions this member owns",
                it -> it.owned().size());
        gauge(
                "partitions.without.owner",
                "Partitions without a live owner; the leader knows, others say 0",
                it -> it.withoutOwner().size());
        gauge(
                "without.owner.seconds",
                "How long the longest of them has been without one",
                it -> it.withoutOwner().values().stream()
                        .mapToDouble(GroupMeters::seconds)
                        .max()
                        .orElse(0));
        gauge(
                "store.away.seconds",
                "How long the store has not answered; 0 when it does",
                it -> seconds(it.storeAwayFor()));
    }

    private void ofMembers() {
        counter("renewals", "Renewals of this member's lease", GroupCounters::renewals);
        counter("store.failures", "Calls of the store that were not answered", GroupCounters::storeFailures);
        counter(
                "members.refused",
                "Member records that did not count: unsigned, altered or replayed",
                GroupCounters::refusedMembers);
        counter("assignments.refused", "Assignments not signed by the group", GroupCounters::refusedAssignments);
        counter("rebalances", "Assignments this member wrote as leader", GroupCounters::rebalances);
        counter("rebalances.skipped", "Changes of members that moved nothing", GroupCounters::skippedAssignments);
        counter("moves", "Partitions those assignments moved", GroupCounters::moves);
    }

    private void ofPartitions() {
        counter("claims", "Partitions taken", GroupCounters::claims);
        counter("claims.failed", "Attempts at which another was faster", GroupCounters::failedClaims);
        counter("releases", "Partitions given up in good order", GroupCounters::releases);
        counter("losses", "Partitions lost without a release", GroupCounters::losses);
        counter("handoffs.forced", "Handoffs whose user did not stop in time", GroupCounters::forcedHandoffs);
        counter("positions.saved", "Positions written", GroupCounters::saves);
        counter("fencing.refusals", "Writes refused because another has the partition", GroupCounters::fencingRefusals);
    }

    private void gauge(String meter, String description, ToDoubleFunction<GroupStatus> value) {
        Gauge.builder(PREFIX + meter, () -> value.applyAsDouble(status.get()))
                .description(description)
                .tag("group", name)
                .register(registry);
    }

    private void counter(String meter, String description, ToDoubleFunction<GroupCounters> value) {
        FunctionCounter.builder(PREFIX + meter, counters, value)
                .description(description)
                .tag("group", name)
                .register(registry);
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
