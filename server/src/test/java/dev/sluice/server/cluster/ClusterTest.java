package dev.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.coordinate.SavePolicy;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.run.Loops;
import dev.sluice.server.config.ClusterConfig;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.testkit.servers.EtcdServer;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.testkit.servers.PostgresServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From a configuration to a group that shares partitions out, on every store; its metrics and what the admin API says. */
class ClusterTest {
    private static final int PARTITIONS = 6;
    private static final String[] NAMES = {
        "sluice_cluster_assignments_refused_total",
        "sluice_cluster_claims_failed_total",
        "sluice_cluster_claims_total",
        "sluice_cluster_fencing_refusals_total",
        "sluice_cluster_handoffs_forced_total",
        "sluice_cluster_leader",
        "sluice_cluster_losses_total",
        "sluice_cluster_members",
        "sluice_cluster_members_refused_total",
        "sluice_cluster_moves_total",
        "sluice_cluster_owned_partitions",
        "sluice_cluster_partitions_without_owner",
        "sluice_cluster_positions_saved_total",
        "sluice_cluster_rebalances_skipped_total",
        "sluice_cluster_rebalances_total",
        "sluice_cluster_releases_total",
        "sluice_cluster_renewals_total",
        "sluice_cluster_store_away_seconds",
        "sluice_cluster_store_failures_total",
        "sluice_cluster_without_owner_seconds"
    };

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"memory", "etcd", "nats", "jdbc"})
    void aMemberByConfigurationOwnsItsPartitionsAndSaysSo(String store) throws InterruptedException {
        ClusterConfig config = config(store, "node-1", "");
        try (Cluster cluster = Cluster.open(config, directory, new Loops());
                Group group = Group.start(cluster.store(), settings(config), new Idle())) {
            await("all partitions owned", () -> group.claims().size() == PARTITIONS);
            var status = GroupAnswers.status(group);
            assertThat(status.getBoolean("healthy").getValue()).isTrue();
            assertThat(status.getString("member").getValue()).isEqualTo("node-1");
            assertThat(status.getString("leader").getValue()).isEqualTo("node-1");
            assertThat(status.getArray("owned")).hasSize(PARTITIONS);
            assertThat(GroupAnswers.audit(group.audit()))
                    .extracting(event -> event.asDocument().getString("kind").getValue())
                    .contains("joined", "elected", "reassigned", "claimed");
        }
    }

    @Test
    void theMetricsNamesArePinnedAndTheirValuesMove() throws InterruptedException {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ClusterConfig config = config("memory", "node-1", "");
        try (Cluster cluster = Cluster.open(config, directory, new Loops());
                Group first = Group.start(cluster.store(), settings(config), new Idle())) {
            GroupMeters.bind(registry, first::status, first.counters());
            assertThat(Arrays.stream(registry.scrape().split("\n"))
                            .filter(line -> line.startsWith("# TYPE "))
                            .map(line -> line.split(" ")[2])
                            .sorted())
                    .containsExactly(NAMES);
            await("owned", () -> value(registry, "owned_partitions") == PARTITIONS);
            first.claims().forEach(claim -> claim.save("here"));
            await("saved", () -> value(registry, "positions_saved_total") > 0);
            await("renewed", () -> value(registry, "renewals_total") > 0);
            assertThat(value(registry, "leader")).isEqualTo(1);
            assertThat(value(registry, "claims_total")).isEqualTo(PARTITIONS);
            assertThat(value(registry, "partitions_without_owner")).isZero();
            GroupSettings other = settings(config("memory", "node-2", ""));
            try (Group second = Group.start(cluster.store(), other, new Idle())) {
                await("half of them moved", () -> second.claims().size() == PARTITIONS / 2);
                assertThat(value(registry, "members")).isEqualTo(2);
                assertThat(value(registry, "moves_total")).isGreaterThanOrEqualTo(PARTITIONS / 2.0);
                assertThat(value(registry, "releases_total")).isEqualTo(PARTITIONS / 2.0);
                assertThat(value(registry, "rebalances_total")).isGreaterThanOrEqualTo(2);
            }
        }
    }

    @Test
    void aMemberWithoutTheSecretGetsNothing() throws InterruptedException {
        ClusterConfig known = config("memory", "known", "secrets: [a-long-enough-secret]");
        ClusterConfig stranger = config("memory", "stranger", "");
        try (Cluster cluster = Cluster.open(known, directory, new Loops());
                Group group = Group.start(cluster.store(), settings(known), new Idle())) {
            await("all partitions owned", () -> group.claims().size() == PARTITIONS);
            try (Group other = Group.start(cluster.store(), settings(stranger), new Idle())) {
                await("the stranger was seen", () -> group.counters().refusedMembers() > 0);
                assertThat(group.claims()).hasSize(PARTITIONS);
                assertThat(other.claims()).isEmpty();
                assertThat(GroupAnswers.audit(group.audit()))
                        .extracting(
                                event -> event.asDocument().getString("kind").getValue())
                        .contains("refused");
            }
        }
    }

    private GroupSettings settings(ClusterConfig config) {
        return Cluster.group(
                        config,
                        "test-" + UUID.nameUUIDFromBytes(directory.toString().getBytes(StandardCharsets.UTF_8)),
                        PARTITIONS)
                .withStabiliser(StabiliserSettings.IMMEDIATE)
                .withSavePolicy(new SavePolicy(Duration.ofMillis(50), 1));
    }

    private static ClusterConfig config(String store, String node, String more) {
        String endpoints = switch (store) {
            case "etcd" -> EtcdServer.shared().url();
            case "nats" -> NatsServer.shared(NatsLine.ANY).url();
            case "jdbc" ->
                PostgresServer.shared().jdbcUrl(PostgresServer.shared().createDatabase());
            default -> "";
        };
        String yaml = "cluster:\n  store: " + store + "\n  node_id: " + node + "\n  lease_ttl: 2s\n"
                + (endpoints.isEmpty() ? "" : "  endpoints: ['" + endpoints + "']\n")
                + (more.isEmpty() ? "" : "  " + more + "\n");
        return ((Reading.Accepted) ConfigFile.parse(yaml, Map.of())).config().cluster();
    }

    private static double value(PrometheusMeterRegistry registry, String name) {
        return Arrays.stream(registry.scrape().split("\n"))
                .filter(line -> line.startsWith("sluice_cluster_" + name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElseThrow();
    }

    private static void await(String what, BooleanSupplier reached) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not within 30 s: " + what);
            }
            Thread.sleep(20);
        }
    }

    private static final class Idle implements PartitionUser {
        @Override
        public void assigned(Claim claim) {}

        @Override
        public void revoking(Claim claim) {}

        @Override
        public void lost(Claim claim) {}
    }
}
