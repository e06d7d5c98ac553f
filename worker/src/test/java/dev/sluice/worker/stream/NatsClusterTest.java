package dev.sluice.worker.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsCluster;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.stream.StreamState.Retention;
import io.nats.client.Options;
import io.nats.client.api.StorageType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A stream with three replicas whose leader dies: readers learn of it, and nothing is missing in silence. */
class NatsClusterTest {
    private static final Duration WITHIN = Duration.ofSeconds(60);
    private static final PullTimes TIMES = new PullTimes(Duration.ofSeconds(2), Duration.ofMillis(500));
    private static final int BEFORE = 200;
    private static final int ALL = 300;

    /**
     * One reader keeps its connection and loses the leader of its durable consumer; the other one loses its connection and
     * its consumer, which was in the leader's memory. Both are told, and read on behind what came without a gap.
     */
    @Test
    void aDeadLeaderBreaksItsReadersAndNothingIsMissing() throws IOException, InterruptedException {
        try (NatsCluster cluster = NatsCluster.start(NatsLine.NEWEST);
                NatsTestStream test =
                        new NatsTestStream(options(cluster.servers()), Retention.LIMITS, -1, StorageType.File, 3)) {
            NatsServer leader = cluster.leaderOf(test.name());
            List<NatsServer> others =
                    cluster.servers().stream().filter(each -> each != leader).toList();
            List<NatsServer> leaderFirst =
                    Stream.concat(Stream.of(leader), others.stream()).toList();
            try (var far = new CoverageReader(options(others), test.name(), false, TIMES);
                    var near = new CoverageReader(options(leaderFirst), test.name(), true, TIMES)) {
                far.startOn(cluster.nameOf(leader), WITHIN);
                near.startOn(cluster.nameOf(leader), WITHIN);
                publishUpTo(test, BEFORE);
                within(() -> near.taken().size() >= 10 && far.taken().size() >= 10);
                leader.kill();
                within(() -> near.isBroken() && far.isBroken());
                publishUpTo(test, ALL);
                near.goOn(WITHIN);
                far.goOn(WITHIN);
                within(() -> near.taken().size() >= ALL && far.taken().size() >= ALL);
                assertThat(cluster.leaderOf(test.name())).isNotSameAs(leader);
            }
        }
    }

    private static Options options(List<NatsServer> servers) {
        return Options.builder()
                .servers(servers.stream().map(NatsServer::url).toArray(String[]::new))
                .noRandomize()
                .ignoreDiscoveredServers()
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(100))
                .build();
    }

    /** Publishes until the stream's last sequence is this one, over an election. */
    private static void publishUpTo(NatsTestStream test, long last) {
        await().atMost(WITHIN)
                .ignoreExceptions()
                .pollInterval(Duration.ofMillis(100))
                .until(() -> {
                    while (test.publish("p.1", new byte[1]) < last) {
                        // Each one is acknowledged by a majority.
                    }
                    return true;
                });
    }

    private static void within(Callable<Boolean> condition) {
        await().atMost(WITHIN).pollInterval(Duration.ofMillis(20)).until(condition);
    }
}
