package dev.sluice.server.worker;

import dev.sluice.server.config.SluiceConfig;
import java.util.List;

/** What a worker is made with. */
public final class WorkerWiring {
    private WorkerWiring() {}

    public static List<Object> of(SluiceConfig config) {
        var worker = config.worker();
        return List.of(
                WorkerParts.settings(config),
                WorkerParts.partitions(worker.partitions()),
                WorkerParts.access(worker, config.security().tls()),
                WorkerParts.assigner(config),
                WorkerParts.deadLetters(worker),
                WorkerParts.migration(worker.migration()),
                WorkerParts.http(config),
                WorkerParts.grpc(config));
    }
}
