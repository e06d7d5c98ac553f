package dev.sluice.server.streamer;

import dev.sluice.devmongo.DevMongo;
import dev.sluice.gateway.Gateway;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A configuration for tests of the Streamer, all ports free ones, and small things around a running node. */
final class StreamerSetup {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Path data;
    private final DevMongo mongo;
    private final int port;
    private String routing = "";
    private String more = "";

    StreamerSetup(Path data, DevMongo mongo) {
        this(data, mongo, 0);
    }

    /** @param port where subscriptions are registered, the same after a restart */
    StreamerSetup(Path data, DevMongo mongo, int port) {
        this.data = data;
        this.mongo = mongo;
        this.port = port;
    }

    /** Members of {@code routing}. */
    StreamerSetup routing(String yaml) {
        routing += ", " + yaml;
        return this;
    }

    /** Further sections. */
    StreamerSetup sections(String yaml) {
        more += yaml;
        return this;
    }

    SluiceConfig config() {
        var yaml = """
                storage:
                  backends:
                    - {name: shop, connection: '%s', database: shop}
                puller:
                  grpc: {address: ':0'}
                  health: {port: 0}
                  metrics: {port: 0}
                  backends: [{name: shop, images: when_available}]
                  buffer: {path: '%s', min_free: 1MiB}
                routing: {grpc: {address: ':%d'}%s}
                """.formatted(mongo.connectionString(), data.resolve("events"), port, routing);
        if (!more.contains("gateway:")) {
            yaml += "gateway: {address: ':0'}\n";
        }
        return switch (ConfigFile.parse(yaml + more, Map.of())) {
            case Reading.Accepted accepted -> accepted.config();
            case Reading.Refused refused -> throw new AssertionError(refused.problems() + "\n" + yaml + more);
        };
    }

    Node start(Role first, Role... others) throws IOException {
        return Node.start(config(), EnumSet.of(first, others), "test");
    }

    /** Puller and Streamer in one process. */
    Node start() throws IOException {
        return start(Role.PULLER, Role.STREAMER);
    }

    static Gateway gateway(Node node, String id) {
        return Gateway.builder(id)
                .streamer("127.0.0.1:" + node.streamer().port())
                .start();
    }

    static void await(String what, BooleanSupplier reached) throws InterruptedException {
        var end = System.nanoTime() + SOON.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + SOON + ": " + what);
            }
            Thread.sleep(20);
        }
    }
}
