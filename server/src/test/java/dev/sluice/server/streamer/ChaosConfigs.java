package dev.sluice.server.streamer;

import dev.sluice.devmongo.DevMongo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** The configurations of a Puller and a Streamer that are processes of their own, on ports that stay theirs. */
final class ChaosConfigs {
    private final Path folder;
    private final DevMongo mongo;
    private final int pullerPort = freePort();
    private final int controlPort = freePort();

    ChaosConfigs(Path folder, DevMongo mongo) throws IOException {
        this.folder = folder;
        this.mongo = mongo;
    }

    int pullerPort() {
        return pullerPort;
    }

    int controlPort() {
        return controlPort;
    }

    Path pullerConfig() throws IOException {
        return write("puller", pullerPort, freePort(), "");
    }

    /** Back-offs and the breaker are short, so that much happens in little time. */
    Path streamerConfig(int pullerAt) throws IOException {
        return write("streamer", freePort(), controlPort, """
                routing:
                  grpc: {address: ':0'}
                  pullers: ['127.0.0.1:%d']
                  num_partitions: 3
                  delivery: {timeout: 2s, retry: {max_delay: 1s}}
                reliability:
                  checkpoint: {interval: 1s}
                  circuit_breaker: {timeout: 2s}
                """.formatted(pullerAt));
    }

    private Path write(String name, int grpc, int http, String more) throws IOException {
        Path config = folder.resolve(name + ".yaml");
        Files.writeString(config, """
                storage:
                  backends:
                    - {name: shop, connection: '%s&serverSelectionTimeoutMS=1000&heartbeatFrequencyMS=500', database: shop}
                puller:
                  grpc: {address: ':%d'}
                  health: {port: %d}
                  metrics: {port: 0}
                  backends: [{name: shop, start: earliest}]
                  buffer: {path: '%s', min_free: 1MiB}
                """.formatted(mongo.connectionString(), grpc, http, folder.resolve(name)) + more);
        return config;
    }

    /** Below the range of outgoing connections, so that a restarted process gets it again. */
    static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // another
            }
        }
    }
}
