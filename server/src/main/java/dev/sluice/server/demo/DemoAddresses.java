package dev.sluice.server.demo;

import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import java.nio.file.Path;
import java.util.Map;

/** Where the parts of the demo listen: the usual ports, or the next free ones. */
record DemoAddresses(int mongo, int grpc, int control, int gateway, int admin, int metrics) {
    static final String BACKEND = "shop";
    static final String OUTBOX = "till";

    static DemoAddresses choose() {
        var grpc = FreePort.from(50051);
        var admin = FreePort.from(8080);
        return new DemoAddresses(
                FreePort.from(27017),
                grpc,
                FreePort.from(grpc + 1),
                FreePort.from(Math.max(8090, admin + 1)),
                admin,
                FreePort.from(9090));
    }

    /** The embedded defaults, in this directory: what a person would write into sluice.yaml. */
    SluiceConfig config(Path log, String outbox) {
        var yaml = """
                storage:
                  backends:
                    - name: %s
                      connection: mongodb://127.0.0.1:%d/?replicaSet=rs0
                      database: %s
                    - name: %s
                      type: outbox
                      connection: '%s'
                puller:
                  grpc: {address: ":%d"}
                  health: {port: %d}
                  metrics: {port: %d}
                  backends:
                    - name: %s
                      tenant: {id_prefix: ":"}
                    - name: %s
                  buffer: {path: '%s', max_size: 256MiB, min_free: 64MiB}
                routing:
                  grpc: {address: ":%d"}
                gateway:
                  address: ":%d"
                  id: demo
                log: {level: error}
                """.formatted(
                        BACKEND,
                        mongo,
                        Shop.DATABASE,
                        OUTBOX,
                        outbox.replace("'", "''"),
                        grpc,
                        admin,
                        metrics,
                        BACKEND,
                        OUTBOX,
                        log.toString().replace("'", "''"),
                        control,
                        gateway);
        return switch (ConfigFile.parse(yaml, Map.of())) {
            case Reading.Accepted accepted -> accepted.config();
            case Reading.Refused refused ->
                throw new IllegalStateException("the demo's own configuration: "
                        + refused.problems().getFirst().describe("demo"));
        };
    }
}
