package dev.sluice.server.puller;

import dev.sluice.capture.CaptureSettings;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.CheckpointPolicy;
import dev.sluice.capture.ReconnectLimits;
import dev.sluice.capture.TenantRule;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.checkpoint.LazyCheckpoints;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.RetentionPolicy;
import dev.sluice.mongodb.CollectionFilter;
import dev.sluice.mongodb.Images;
import dev.sluice.mongodb.MongoChangeSource;
import dev.sluice.mongodb.MongoSourceSettings;
import dev.sluice.outbox.log.OutboxSourceSettings;
import dev.sluice.run.Loops;
import dev.sluice.server.cluster.CheckpointMirrors;
import dev.sluice.server.config.CheckpointBackend;
import dev.sluice.server.config.PullerConfig;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.StorageConfig;
import dev.sluice.server.config.WatchedBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What one backend's components are given of the configuration.
 *
 * @param puller this Puller's name in a mirror that others share
 * @param path below which each backend's log has its own directory
 * @param source opens what is watched, with the loops of this process
 * @param messages whether its events are messages, of which each counts, and not states of documents
 * @param mirror opens where the checkpoint is kept besides the log; empty for nowhere
 */
record BackendSettings(
        String name,
        String puller,
        Path path,
        long minFree,
        Function<Loops, ChangeSource> source,
        boolean messages,
        CaptureSettings capture,
        GroupCommitLimits commit,
        RetentionPolicy retention,
        Optional<Supplier<CheckpointStore>> mirror) {
    static List<BackendSettings> of(SluiceConfig config) {
        return config.puller().backends().stream()
                .map(watched -> of(config, watched, storage(config, watched.name())))
                .toList();
    }

    private static StorageConfig.Backend storage(SluiceConfig config, String name) {
        return config.storage().backends().stream()
                .filter(backend -> backend.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("backend " + name + " passed the checks undefined"));
    }

    private static BackendSettings of(SluiceConfig config, WatchedBackend watched, StorageConfig.Backend storage) {
        var puller = config.puller();
        var buffer = puller.buffer();
        return new BackendSettings(
                watched.name(),
                puller(config),
                buffer.path(),
                buffer.minFree().bytes(),
                source(config, watched, storage),
                storage.type() == StorageConfig.Type.OUTBOX,
                capture(config, watched),
                GroupCommitLimits.of(buffer.batchSize(), buffer.queueSize()),
                new RetentionPolicy(
                        puller.cleaner().interval(),
                        puller.cleaner().retention(),
                        buffer.maxSize().bytes()),
                mirror(config, storage));
    }

    /**
     * An outbox that has no MongoDB to be mirrored in goes without: its own database knows how far it was read, and whether
     * the log still is.
     */
    private static Optional<Supplier<CheckpointStore>> mirror(SluiceConfig config, StorageConfig.Backend storage) {
        var checkpoint = config.puller().checkpoint();
        return storage.type() == StorageConfig.Type.OUTBOX && checkpoint.backend() == CheckpointBackend.MONGODB
                ? Optional.empty()
                : CheckpointMirrors.at(
                        checkpoint.backend(), checkpoint.endpoints(), config.cluster(), storage::connection);
    }

    /** The node's name; without one, a name kept beside the logs. Only a mirror needs it. */
    private static String puller(SluiceConfig config) {
        if (config.puller().checkpoint().backend() == CheckpointBackend.LOCAL) {
            return "";
        }
        return config.cluster()
                .nodeId()
                .filter(name -> !name.isBlank())
                .orElseGet(() -> KeptName.in(config.puller().buffer().path()));
    }

    private static Function<Loops, ChangeSource> source(
            SluiceConfig config, WatchedBackend watched, StorageConfig.Backend storage) {
        return switch (storage.type()) {
            case MONGODB -> loops -> new MongoChangeSource(mongo(config.puller(), watched, storage));
            case OUTBOX -> loops -> new OutboxBackend(storage.connection(), outbox(config, watched), loops);
        };
    }

    static OutboxSourceSettings outbox(SluiceConfig config, WatchedBackend watched) {
        String node = config.cluster()
                .nodeId()
                .filter(name -> !name.isBlank())
                .orElseGet(() -> UUID.randomUUID().toString());
        return new OutboxSourceSettings(
                node + '.' + watched.name(),
                config.cluster().leaseTtl(),
                Math.min(
                        OutboxSourceSettings.DEFAULT_BATCH,
                        config.puller().buffer().batchSize()),
                tenant(watched.tenant()));
    }

    static MongoSourceSettings mongo(PullerConfig puller, WatchedBackend watched, StorageConfig.Backend storage) {
        return MongoSourceSettings.of(storage.connection().reveal(), storage.database())
                .withFilter(new CollectionFilter(
                        Set.copyOf(watched.includeCollections()), Set.copyOf(watched.excludeCollections())))
                .withStreams(watched.streams())
                .withBatchInterval(puller.buffer().batchInterval())
                .withImages(images(watched.images()))
                .withTenant(tenant(watched.tenant()));
    }

    private static Images images(WatchedBackend.Images images) {
        return switch (images) {
            case NONE -> Images.NONE;
            case WHEN_AVAILABLE -> Images.WHEN_AVAILABLE;
            case REQUIRED -> Images.REQUIRED;
        };
    }

    private static TenantRule tenant(WatchedBackend.Tenant tenant) {
        return tenant.field()
                .<TenantRule>map(TenantRule.Field::new)
                .or(() -> tenant.idPrefix().map(TenantRule.IdPrefix::new))
                .or(() -> tenant.constant().map(TenantRule.Constant::new))
                .orElseGet(() -> tenant.database() ? new TenantRule.Database() : new TenantRule.None());
    }

    private static CaptureSettings capture(SluiceConfig config, WatchedBackend watched) {
        var reliability = config.reliability();
        var checkpoint = config.puller().checkpoint();
        return new CaptureSettings(
                watched.name(),
                switch (watched.start()) {
                    case NOW -> CaptureSettings.Start.NOW;
                    case EARLIEST -> CaptureSettings.Start.EARLIEST;
                    case STOP -> CaptureSettings.Start.STOP;
                },
                switch (watched.onGap()) {
                    case RESYNC -> CaptureSettings.OnGap.RESYNC;
                    case STOP -> CaptureSettings.OnGap.STOP;
                },
                new CheckpointPolicy(checkpoint.interval(), checkpoint.eventCount()),
                new ReconnectLimits(
                        ReconnectLimits.DEFAULT.firstDelay(),
                        reliability.circuitBreaker().threshold(),
                        reliability.circuitBreaker().timeout()),
                reliability.gapDetection().enabled()
                        ? reliability.gapDetection().maxGap()
                        : Duration.ofDays(3650),
                reliability.lagThreshold(),
                config.puller().cleaner().retention());
    }

    /** This backend's own directory. */
    Path directory() {
        return path.resolve(name);
    }

    /** Reached for when it is first needed: a mirror that cannot be opened now must not stop capture. */
    Optional<CheckpointStore> lazyMirror() {
        return mirror.map(LazyCheckpoints::new);
    }
}
