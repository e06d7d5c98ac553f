package dev.sluice.server.streamer;

import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.checkpoint.LazyCheckpoints;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.SavePolicy;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.deliver.Protocol;
import dev.sluice.grpc.PullerAccess;
import dev.sluice.lane.LaneSettings;
import dev.sluice.lane.RoutingMode;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import dev.sluice.route.Streamer;
import dev.sluice.route.StreamerSettings;
import dev.sluice.server.cluster.CheckpointMirrors;
import dev.sluice.server.cluster.Cluster;
import dev.sluice.server.config.ClusterConfig;
import dev.sluice.server.config.RoutingConfig;
import dev.sluice.server.config.SecurityConfig;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.StorageConfig;
import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.SubscriptionQuotas;
import io.grpc.InsecureChannelCredentials;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** What each part of the Streamer is given of the configuration. */
final class PartSettings {
    /** For what all partitions and lanes do beside reading. */
    static final int THREADS = 4;

    private static final Duration FOR_EVER = Duration.ofDays(365);
    private static final String GROUP = "streamer";

    private PartSettings() {}

    static SubscriptionQuotas quotas(RoutingConfig routing) {
        var quotas = routing.subscriptions();
        return new SubscriptionQuotas(quotas.perGateway(), quotas.perTenant(), quotas.total());
    }

    static GatewayLeases leases(SluiceConfig config) {
        return new GatewayLeases(config.gateway().lease(), config.gateway().grace(), GatewayLeases.DEFAULT.most());
    }

    /** A partition that is given up has time to be acknowledged, then to be saved. */
    static GroupSettings group(SluiceConfig config) {
        var checkpoint = config.reliability().checkpoint();
        var shutdown = config.reliability().shutdown();
        var group = Cluster.group(config.cluster(), GROUP, config.routing().numPartitions());
        var alone = config.cluster().store() == ClusterConfig.Store.MEMORY;
        return group.withStabiliser(alone ? StabiliserSettings.IMMEDIATE : StabiliserSettings.DEFAULT)
                .withLower(Streamer::lowerOf)
                .withSavePolicy(new SavePolicy(checkpoint.interval(), checkpoint.eventCount()))
                .withHandoffTimeout(shutdown.flushTimeout().plus(shutdown.checkpointTimeout()));
    }

    /** Where positions are kept besides; in MongoDB, in the first deployment there is. */
    static Optional<CheckpointStore> mirror(SluiceConfig config) {
        var checkpoint = config.reliability().checkpoint();
        return CheckpointMirrors.at(
                        checkpoint.backend(), checkpoint.endpoints(), config.cluster(), () -> firstMongo(config))
                .map(LazyCheckpoints::new);
    }

    private static ConnectionString firstMongo(SluiceConfig config) {
        return config.storage().backends().stream()
                .filter(backend -> backend.type() == StorageConfig.Type.MONGODB)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a mirror in MongoDB passed the checks without one"))
                .connection();
    }

    /** This node's name, for the gateways' logs. */
    static String node(SluiceConfig config) {
        return config.cluster().nodeId().orElse("sluice");
    }

    static StreamerSettings streamer(SluiceConfig config) {
        var routing = config.routing();
        var reliability = config.reliability();
        var usual = StreamerSettings.DEFAULT;
        return new StreamerSettings(
                mode(routing.mode()),
                routing.maxFanout(),
                lanes(config),
                reliability.checkpoint().interval(),
                reliability.checkpoint().eventCount(),
                reliability.lagThreshold(),
                reliability.shutdown().flushTimeout(),
                usual.retriesPerSecond());
    }

    /** Where subscriptions belong that no registered gateway holds. */
    static Homes homes(RoutingConfig routing) {
        return new Homes(
                switch (routing.mode()) {
                    case DIRECT -> Homes.Unclaimed.WAIT;
                    case CONSISTENT_HASH -> Homes.Unclaimed.SHARE;
                    case BROADCAST -> Homes.Unclaimed.BROADCAST;
                });
    }

    static Protocol usualProtocol(RoutingConfig routing) {
        return Protocol.parse(routing.delivery().protocol().name().toLowerCase(Locale.ROOT));
    }

    /** Throws {@link InvalidInputException} for a subscription that asks for what this routing mode does not do. */
    static Consumer<Subscription> servable(RoutingConfig routing) {
        return subscription -> {
            if (subscription.failover() && routing.mode() == RoutingConfig.Mode.DIRECT) {
                throw new InvalidInputException(
                        "failover does nothing under routing.mode: direct, where no other gateway"
                                + " takes a subscription over; leave it out, or set routing.mode: consistent_hash or broadcast");
            }
        };
    }

    private static RoutingMode mode(RoutingConfig.Mode mode) {
        return switch (mode) {
            case DIRECT -> RoutingMode.DIRECT;
            case CONSISTENT_HASH -> RoutingMode.CONSISTENT_HASH;
            case BROADCAST -> RoutingMode.BROADCAST;
        };
    }

    private static LaneSettings lanes(SluiceConfig config) {
        var usual = LaneSettings.DEFAULT;
        var batch = config.routing().batch();
        var pressure = config.routing().backpressure();
        var retry = config.routing().delivery().retry();
        var breaker = config.reliability().circuitBreaker();
        return new LaneSettings(
                new LaneSettings.Batch(
                        batch.maxSize(), usual.batch().maxBytes(), batch.maxWait(), batch.flushInterval()),
                new LaneSettings.Queue(
                        pressure.queueSize(),
                        usual.queue().bytes(),
                        pressure.softWatermark(),
                        pressure.hardWatermark()),
                new LaneSettings.Retry(retry.maxAttempts(), retry.initialDelay(), retry.maxDelay(), retry.multiplier()),
                new LaneSettings.Breaker(breaker.threshold(), breaker.timeout()),
                usual.inFlight(),
                config.routing().dlq().enabled(),
                new LaneSettings.Stuck(
                        config.routing().stuckAfter(), config.routing().maxStuck()));
    }

    /** For how long a Puller elsewhere may send neither events nor heartbeats. */
    static Duration silence(SluiceConfig config) {
        var gaps = config.reliability().gapDetection();
        return gaps.enabled() ? gaps.maxGap() : FOR_EVER;
    }

    /** Pullers of one deployment: what protects this node protects them. */
    static PullerAccess pullers(SluiceConfig config) {
        var named = config.routing().pullers();
        var address = config.puller().grpc().address();
        SecurityConfig security = config.security();
        return new PullerAccess(
                named.isEmpty() ? List.of(address.host() + ":" + address.port()) : named,
                security.tls().certificate().isPresent()
                        ? OwnTrust.of(security.tls()).credentials()
                        : InsecureChannelCredentials.create(),
                security.token().map(Secret::reveal).orElse(null));
    }
}
