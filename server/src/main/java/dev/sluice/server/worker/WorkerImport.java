package dev.sluice.server.worker;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.server.Opened;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.WorkerConfig;
import dev.sluice.worker.WorkerBuilder;
import dev.sluice.worker.migrate.ConsumerImport;
import dev.sluice.worker.migrate.ImportPlan;
import dev.sluice.worker.stream.NatsMessageStream;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;

/** The import of another program's consumers into the group that a configuration describes. */
public final class WorkerImport implements AutoCloseable {
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

    private final WorkerConfig config;
    private final Opened resources = new Opened();
    private final ConsumerImport consumers;

    private WorkerImport(SluiceConfig all, boolean dryRun) throws IOException, InterruptedException {
        this.config = all.worker();
        try (var opened = new Opened()) {
            opened.add(resources);
            String stream = config.stream().orElseThrow();
            Connection nats = resources.add(WorkerConnection.open(
                    WorkerParts.access(config, all.security().tls()), config.consumerPrefix()));
            OwnStream.check(nats, stream, config.handler());
            var messages = resources.add(new NatsMessageStream(nats, stream, REQUEST_TIMEOUT));
            var store = resources.add(store(nats, dryRun));
            this.consumers = new ConsumerImport(store, config.consumerPrefix(), messages);
            opened.keep();
        }
    }

    /**
     * Connects to the NATS servers of the configuration.
     *
     * @param dryRun whether only {@link #plan} will be called: then nothing is created in NATS
     * @throws InvalidInputException when NATS cannot be reached, or there is no such stream
     */
    public static WorkerImport open(SluiceConfig all, boolean dryRun) throws IOException, InterruptedException {
        if (all.worker().stream().isEmpty() || !all.worker().partitions().isSet()) {
            throw new InvalidInputException(
                    "the configuration names no group: set worker.stream, worker.consumer_prefix and worker.partitions as"
                            + " the workers will have them");
        }
        return new WorkerImport(all, dryRun);
    }

    /** Without a bucket no group has started: a dry run then needs none. */
    private CoordinationStore store(Connection nats, boolean dryRun) throws IOException, InterruptedException {
        String bucket = WorkerBuilder.DEFAULT_BUCKET;
        return dryRun && !hasBucket(nats, bucket)
                ? new InMemoryCoordinationStore()
                : NatsCoordinationStore.over(nats, bucket, config.replicas(), REQUEST_TIMEOUT);
    }

    private static boolean hasBucket(Connection nats, String bucket) throws IOException, InterruptedException {
        try {
            return nats.keyValueManagement().getBucketNames().contains(bucket);
        } catch (JetStreamApiException refused) {
            throw new IOException("cannot list the buckets of NATS: " + refused.getMessage(), refused);
        }
    }

    public ImportPlan plan(String names) {
        return consumers.plan(WorkerParts.partitions(config.partitions()), names);
    }

    /** @throws InvalidInputException when the plan has problems, or something has changed since it was made */
    public void apply(ImportPlan plan) {
        consumers.apply(plan, Clock.systemUTC().millis());
    }

    @Override
    public void close() {
        resources.close();
    }
}
