package dev.sluice.server.worker;

import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsCoordinationStore;
import dev.sluice.run.Loops;
import dev.sluice.server.Opened;
import dev.sluice.server.cluster.Cluster;
import dev.sluice.server.cluster.GroupMeters;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.WorkerConfig;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerBuilder;
import dev.sluice.worker.WorkerStatus;
import dev.sluice.worker.admin.WorkerAdmin;
import dev.sluice.worker.deadletter.JetStreamDeadLetters;
import dev.sluice.worker.metrics.WorkerMetrics;
import dev.sluice.worker.stream.NatsMessageStream;
import io.micrometer.core.instrument.MeterRegistry;
import io.nats.client.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of {@code sluice run --role worker}: stream → worker → receiver. Stopped, the worker finishes the messages its handlers
 * have and hands its partitions over; only then the receiver and the connection are closed.
 */
public final class WorkerRole implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.worker");
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

    private final WorkerConfig config;
    private final Opened resources = new Opened();
    private final WorkerAdmin admin;
    private final ForwardingHandler handler;
    private final Worker worker;
    private final AtomicReference<@Nullable Thread> draining = new AtomicReference<>();

    private WorkerRole(SluiceConfig all, MeterRegistry registry, Loops loops) throws IOException, InterruptedException {
        this.config = all.worker();
        try (var opened = new Opened()) {
            opened.add(resources);
            String stream = config.stream().orElseThrow();
            Connection nats = resources.add(WorkerConnection.open(
                    WorkerParts.access(config, all.security().tls()), config.consumerPrefix()));
            var settings = WorkerParts.settings(all);
            OwnStream.check(nats, stream, config.handler());
            var letters = deadLetters(nats);
            var store = resources.add(
                    NatsCoordinationStore.over(nats, WorkerBuilder.DEFAULT_BUCKET, config.replicas(), REQUEST_TIMEOUT));
            var messages = resources.add(new NatsMessageStream(nats, stream, REQUEST_TIMEOUT));
            this.admin = new WorkerAdmin(store, config.consumerPrefix(), messages, letters);
            this.handler = resources.add(new ForwardingHandler(WorkerParts.receiver(all, nats)));
            var metrics = new WorkerMetrics(registry, settings);
            this.worker = opened.add(Worker.builder(nats).stream(stream)
                    .prefix(config.consumerPrefix())
                    .partitions(WorkerParts.partitions(config.partitions()))
                    .strategy(WorkerParts.assigner(all))
                    .secrets(Cluster.secrets(all.cluster()))
                    .store(store)
                    .timeout(REQUEST_TIMEOUT)
                    .settings(settings)
                    .deadLetters(letters)
                    .handler(handler)
                    .listener(metrics)
                    .start());
            metrics.watch(worker::status, worker.counters());
            GroupMeters.bind(registry, worker::group, worker.groupCounters());
            loops.include(worker::failingLoops);
            opened.keep();
        }
    }

    /**
     * Starts the worker.
     *
     * @param loops gets the failures of the worker's background loops, for {@code /livez}
     * @throws InvalidInputException when NATS cannot be reached, or the stream does not fit the configuration
     */
    public static WorkerRole start(SluiceConfig config, MeterRegistry registry, Loops loops) throws IOException {
        try {
            var role = new WorkerRole(config, registry, loops);
            LOG.atInfo()
                    .addKeyValue("stream", role.config.stream().orElse(""))
                    .addKeyValue("prefix", role.config.consumerPrefix())
                    .addKeyValue(
                            "handler",
                            role.config.handler().type().map(WorkerReport::word).orElse(""))
                    .log("worker started");
            return role;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the worker was started", stop);
        }
    }

    private JetStreamDeadLetters deadLetters(Connection nats) {
        var letters = new JetStreamDeadLetters(
                nats, WorkerParts.deadLetters(config), config.consumerPrefix(), REQUEST_TIMEOUT);
        letters.ensure().forEach(LOG::warn);
        return letters;
    }

    WorkerConfig config() {
        return config;
    }

    public Worker worker() {
        return worker;
    }

    WorkerAdmin admin() {
        return admin;
    }

    ForwardingHandler handler() {
        return handler;
    }

    /** The worker's status; {@code DRAINING} as soon as {@link #drain} was called. */
    WorkerStatus status() {
        WorkerStatus now = worker.status();
        boolean drains = draining.get() != null && now.state() != WorkerStatus.State.STOPPED;
        return drains ? now.in(WorkerStatus.State.DRAINING) : now;
    }

    /** Begins to hand all partitions over; the status is {@code STOPPED} when that is done. */
    void drain() {
        Thread drain = Thread.ofVirtual().name("worker-drain").unstarted(worker::drain);
        if (draining.compareAndSet(null, drain)) {
            LOG.info("worker drains: its partitions are handed over");
            drain.start();
        }
    }

    @Override
    public void close() {
        LOG.info("worker stops: what its handlers have, then its partitions are handed over");
        worker.close();
        resources.close();
        LOG.info("worker stopped");
    }
}
