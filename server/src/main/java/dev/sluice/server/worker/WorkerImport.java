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
    private final NatsMessageStream messages;
    private final CoordinationStore store;
    private final ConsumerImport planning;

    private WorkerImport(SluiceConfig all) throws IOException, InterruptedException {
        this.config = all.worker();
        try (var opened = new Opened()) {
            opened.add(resources);
            String stream = config.stream().orElseThrow();
            Connection nats = resources.add(WorkerConnection.open(
                    WorkerParts.access(config, all.security().tls()), config.consumerPrefix()));
            OwnStream.check(nats, stream, config.handler());
            this.messages = resources.add(new NatsMessageStream(nats, stream, REQUEST_TIMEOUT));
            this.store = resources.add(
                    NatsCoordinationStore.over(nats, WorkerBuilder.DEFAULT_BUCKET, config.replicas(), REQUEST_TIMEOUT));
            // Without a bucket no group has started; reading the store would create it.
            CoordinationStore asItIs = hasBucket(nats) ? store : resources.add(new InMemoryCoordinationStore());
            this.planning = new ConsumerImport(asItIs, config.consumerPrefix(), messages);
            opened.keep();
        }
    }

    /**
     * Connects to the NATS servers of the configuration. Nothing is created in NATS before {@link #apply}.
     *
     * @throws InvalidInputException when NATS cannot be reached, or there is no such stream
     */
    public static WorkerImport open(SluiceConfig all) throws IOException, InterruptedException {
        if (all.worker().stream().isEmpty() || !all.worker().partitions().isSet()) {
            throw new InvalidInputException(
                    "the configuration names no group: set worker.stream, worker.consumer_prefix and worker.partitions as"
                            + " the workers will have them");
        }
        return new WorkerImport(all);
    }

    private static boolean hasBucket(Connection nats) throws IOException, InterruptedException {
        try {
            return nats.keyValueManagement().getBucketNames().contains(WorkerBuilder.DEFAULT_BUCKET);
        } catch (JetStreamApiException refused) {
            throw new IOException("cannot list the buckets of NATS: " + refused.getMessage(), refused);
        }
    }

    public ImportPlan plan(String names) {
        return planning.plan(WorkerParts.partitions(config.partitions()), names);
    }

    /** @throws InvalidInputException when the plan has problems, or something has changed since it was made */
    public void apply(ImportPlan plan) {
        new ConsumerImport(store, config.consumerPrefix(), messages)
                .apply(plan, Clock.systemUTC().millis());
    }

    @Override
    public void close() {
        resources.close();
    }
}
