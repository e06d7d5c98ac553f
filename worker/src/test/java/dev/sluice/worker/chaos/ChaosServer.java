package dev.sluice.worker.chaos;

import dev.sluice.testkit.servers.NatsCluster;
import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.Random;

/** The JetStream servers of a run. */
interface ChaosServer extends AutoCloseable {
    /** For clients that nothing but the servers' own faults hurts. */
    String urls();

    /** The port for a worker's own proxy; 0 when workers connect directly. */
    int port();

    /** Takes a server away and brings it back. */
    void restart(Random random);

    int replicas();

    @Override
    void close();

    /**
     * A server for a stream of this kind. With an interest stream it is only ever killed: NATS 2.10.27 and 2.15 erase what such a
     * stream still holds when a consumer of it is deleted while the server stops in order (4 and 3 of 25 stops; none of 50
     * kills).
     */
    static ChaosServer single(NatsLine line, RetentionPolicy retention) {
        NatsServer server = NatsServer.startPrivate(line);
        return new ChaosServer() {
            @Override
            public String urls() {
                return server.url();
            }

            @Override
            public int port() {
                return server.port();
            }

            @Override
            public void restart(Random random) {
                if (random.nextBoolean() || retention == RetentionPolicy.Interest) {
                    server.kill();
                } else {
                    server.stop();
                }
                server.start();
            }

            @Override
            public int replicas() {
                return 1;
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    /** Three servers; a restart kills the one that leads the stream and brings it back. */
    static ChaosServer cluster(NatsLine line) {
        NatsCluster cluster = NatsCluster.start(line);
        return new ChaosServer() {
            @Override
            public String urls() {
                return cluster.url();
            }

            @Override
            public int port() {
                return 0;
            }

            @Override
            public void restart(Random random) {
                NatsServer leader = cluster.leaderOf(ChaosRun.STREAM);
                leader.kill();
                cluster.leaderOf(ChaosRun.STREAM);
                leader.start();
                cluster.awaitHealthy();
            }

            @Override
            public int replicas() {
                return 3;
            }

            @Override
            public void close() {
                cluster.close();
            }
        };
    }

    default void createStream(String name, RetentionPolicy retention) throws Exception {
        try (Connection connection = Nats.connect(urls().split(",")[0])) {
            connection
                    .jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name(name)
                            .subjects("chaos.*")
                            .retentionPolicy(retention)
                            .storageType(StorageType.File)
                            .replicas(replicas())
                            .duplicateWindow(Duration.ofMinutes(10))
                            .maxConsumers(10_000)
                            .build());
        }
    }
}
