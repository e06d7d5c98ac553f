package dev.sluice.outbox.spring;

import dev.sluice.outbox.relay.PartitionStatus;
import dev.sluice.outbox.relay.RelayStatus;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether what is written is also sent: the registry of nodes answers and counts this one in, so does the
 * database, and the receiver takes messages, of every topic.
 * The application itself goes on while it is down, and nothing is lost; so it is in no probe of orchestrators by default.
 */
final class OutboxHealthIndicator implements HealthIndicator {
    private final RelayLifecycle relay;

    OutboxHealthIndicator(RelayLifecycle relay) {
        this.relay = relay;
    }

    @Override
    public Health health() {
        return relay.relay()
                .map(running -> of(running.status()))
                .orElseGet(() ->
                        Health.outOfService().withDetail("relay", "not running").build());
    }

    static Health of(RelayStatus status) {
        List<Integer> owned =
                status.partitions().stream().map(PartitionStatus::partition).toList();
        return Health.status(judge(status))
                .withDetail("nodes", status.members().members())
                .withDetail("registry", status.members().sentence())
                .withDetail("partitions", owned)
                .withDetail("receiver", status.notSending().orElse("takes messages"))
                .withDetail("database", status.databaseTrouble().isEmpty() ? "answers" : status.databaseTrouble())
                .withDetail(
                        "backlog",
                        status.backlog()
                                .map(waiting -> waiting.rows() + " rows")
                                .orElse("not known yet"))
                .withDetail(
                        "dead",
                        status.backlog()
                                .map(waiting -> waiting.dead() + " rows")
                                .orElse("not known yet"))
                .build();
    }

    private static Status judge(RelayStatus status) {
        boolean joining = status.members().member().isEmpty()
                && status.members().storeAwayFor().isZero();
        return joining ? Status.UNKNOWN : status.isHealthy() ? Status.UP : Status.DOWN;
    }
}
