package dev.sluice.server.worker;

import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.grpc.GrpcDelivery;
import dev.sluice.grpc.GrpcForward;
import dev.sluice.http.HttpDelivery;
import dev.sluice.http.HttpForward;
import dev.sluice.nats.NatsAccess;
import dev.sluice.server.cluster.Cluster;
import dev.sluice.server.config.SecurityConfig;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.WorkerConfig;
import dev.sluice.server.config.WorkerHandler;
import dev.sluice.server.config.WorkerMigration;
import dev.sluice.server.config.WorkerPartitions;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.DataSize;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.streamer.OwnTrust;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.deadletter.DeadLetterStream;
import dev.sluice.worker.migrate.MigrationLimits;
import dev.sluice.worker.partition.Partitions;
import io.nats.client.Connection;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** What the worker is given of the configuration. */
final class WorkerParts {
    private WorkerParts() {}

    static WorkerSettings settings(SluiceConfig all) {
        WorkerConfig config = all.worker();
        return WorkerSettings.DEFAULT.with(draft -> {
            draft.consumers = mode(config.consumers());
            draft.order = switch (config.order()) {
                case PARTITION -> WorkerSettings.Order.PARTITION;
                case KEY -> WorkerSettings.Order.KEY;
            };
            draft.start = switch (config.start()) {
                case EARLIEST -> WorkerSettings.Start.EARLIEST;
                case NOW -> WorkerSettings.Start.NOW;
            };
            draft.onGap = switch (config.onGap()) {
                case STOP -> WorkerSettings.OnGap.STOP;
                case CONTINUE -> WorkerSettings.OnGap.CONTINUE;
            };
            limits(config, draft);
            draft.lease = all.cluster().leaseTtl();
            draft.idFile = config.idFile().orElse(null);
            draft.deadLetters = config.dlq().stream();
        });
    }

    static ConsumerMode mode(WorkerConfig.Consumers consumers) {
        return switch (consumers) {
            case PER_WORKER -> ConsumerMode.PER_WORKER;
            case PER_PARTITION -> ConsumerMode.PER_PARTITION;
        };
    }

    private static void limits(WorkerConfig config, WorkerSettings.Draft draft) {
        draft.maxSubjects = config.maxSubjects();
        draft.shards = config.shards();
        draft.minUpdateInterval = config.minUpdateInterval();
        draft.maxAckPending = config.maxAckPending();
        draft.maxWaiting = config.maxWaiting();
        draft.ackWait = config.ackWait();
        draft.attempts = config.attempts();
        draft.backoff = config.backoff();
        draft.inactiveThreshold = config.inactiveThreshold();
        draft.batch = config.batch();
        draft.batchBytes =
                Math.toIntExact(config.batchBytes().map(DataSize::bytes).orElse(0L));
        draft.maxSingles = config.maxSingles();
        draft.discover = config.discover();
        draft.handoffTimeout = config.handoffTimeout();
    }

    static MigrationLimits migration(WorkerMigration config) {
        return new MigrationLimits(
                config.window(),
                config.windows(),
                config.badWindows(),
                config.burnIn(),
                config.maxLag(),
                config.maxRedelivered());
    }

    static Partitions partitions(WorkerPartitions config) {
        if (config.hashed().prefix().isPresent()) {
            return Partitions.hashed(
                    config.hashed().prefix().get(), config.hashed().count());
        }
        return config.pattern().map(Partitions::pattern).orElseGet(() -> Partitions.list(config.subjects()));
    }

    static NatsAccess access(WorkerConfig config, SecurityConfig.Tls tls) {
        return new NatsAccess(
                config.servers().stream().map(ConnectionString::reveal).toList(),
                config.user().orElse(null),
                config.password().map(Secret::reveal).orElse(null),
                config.token().map(Secret::reveal).orElse(null),
                config.credentials().orElse(null),
                OwnTrust.of(tls).context());
    }

    static Assigner assigner(SluiceConfig all) {
        return Cluster.assigner(all.worker().strategy().orElse(all.cluster().assignment()));
    }

    static DeadLetterStream deadLetters(WorkerConfig config) {
        return new DeadLetterStream(
                config.dlq().stream(), config.dlq().maxBytes().bytes(), config.replicas());
    }

    /** @param connection for a receiver that is a subject */
    static Receiver receiver(SluiceConfig all, Connection connection) throws IOException {
        WorkerConfig config = all.worker();
        WorkerHandler handler = config.handler();
        String stream = config.stream().orElseThrow();
        return switch (handler.type().orElseThrow()) {
            case HTTP -> new HttpReceiver(stream, new HttpForward(URI.create(url(handler)), http(all)));
            case GRPC -> new GrpcReceiver(stream, new GrpcForward(url(handler), grpc(all)));
            case NATS ->
                new SubjectReceiver(
                        connection,
                        config.consumerPrefix(),
                        stream,
                        new TargetSubject(handler.subject().orElseThrow()),
                        handler.timeout());
        };
    }

    static HttpDelivery http(SluiceConfig all) {
        WorkerConfig config = all.worker();
        return new HttpDelivery(
                config.consumerPrefix(),
                config.handler().timeout(),
                OwnTrust.of(all.security().tls()).context(),
                token(config.handler()));
    }

    static GrpcDelivery grpc(SluiceConfig all) {
        WorkerHandler handler = all.worker().handler();
        return new GrpcDelivery(
                handler.timeout(), OwnTrust.of(all.security().tls()).credentials(), token(handler));
    }

    private static String url(WorkerHandler handler) {
        return handler.url().map(ConnectionString::reveal).orElseThrow();
    }

    private static @Nullable String token(WorkerHandler handler) {
        return handler.token().map(Secret::reveal).orElse(null);
    }
}
