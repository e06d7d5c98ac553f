package dev.sluice.server.streamer;

import dev.sluice.coordinate.Checkpoints;
import dev.sluice.coordinate.Group;
import dev.sluice.feed.EventFeed;
import dev.sluice.grpc.GrpcLogFeed;
import dev.sluice.grpc.StreamerGrpcServer;
import dev.sluice.lane.DeadLetters;
import dev.sluice.rocksdb.RocksDeadLetters;
import dev.sluice.rocksdb.RocksSubscriptions;
import dev.sluice.route.Streamer;
import dev.sluice.run.Loops;
import dev.sluice.run.TurnsOnThreads;
import dev.sluice.server.Opened;
import dev.sluice.server.cluster.Cluster;
import dev.sluice.server.cluster.GroupMeters;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.puller.ServerSettings;
import dev.sluice.subscribe.ControlPlane;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.NotReadyException;
import dev.sluice.subscribe.SubscriptionRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Streamer: feed → partitions → lanes → gateways, the registries that say who wants what, and the control plane by
 * which they say it.
 *
 * <p>It stops in an order that loses nothing: no registrations, no intake; what is under way is waited for; positions are
 * saved, never beyond what was acknowledged; only then everything else is closed.
 */
public final class StreamerRole implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.streamer");

    private final Duration flushTimeout;
    private final Duration lagThreshold;
    private final int configuredPartitions;
    private final Opened resources = new Opened();
    private final StreamerMeters meters;
    private final GatewayRegistry gateways;
    private final FeedHeads heads;
    private final SubscriptionRegistry subscriptions;
    private final DeadLetters deadLetters;
    private final Streamer streamer;
    private final Group group;
    private final @Nullable PositionMirror positionMirror;
    private final Housekeeping housekeeping;
    private final ControlPlane control;
    private final StreamerGrpcServer server;
    private volatile boolean stopping;

    private StreamerRole(SluiceConfig config, EventFeed feed, MeterRegistry registry, Loops loops) throws IOException {
        this.flushTimeout = config.reliability().shutdown().flushTimeout();
        this.lagThreshold = config.reliability().lagThreshold();
        this.configuredPartitions = config.routing().numPartitions();
        this.meters = new StreamerMeters(registry);
        var directory = config.streamerDirectory();
        try (var opened = new Opened()) {
            opened.add(resources);
            var settings = PartSettings.group(config);
            var cluster = resources.add(Cluster.open(config.cluster(), directory.resolve("cluster"), loops));
            var store = resources.add(new RocksSubscriptions(directory.resolve("subscriptions")));
            this.deadLetters = resources.add(new RocksDeadLetters(directory.resolve("dead-letters")));
            this.gateways = new GatewayRegistry(PartSettings.leases(config), store, System::nanoTime);
            this.heads = new FeedHeads(feed);
            this.subscriptions = new SubscriptionRegistry(
                    PartSettings.quotas(config.routing()),
                    store,
                    gateways,
                    System::nanoTime,
                    PartSettings.homes(config.routing()),
                    heads,
                    InstantSource.system());
            var threads = resources.add(new TurnsOnThreads(PartSettings.THREADS));
            var deliverers = new DeliverersByProtocol(
                    PartSettings.node(config), config.routing().delivery(), config.security());
            var partitions = new CountedPartitions(configuredPartitions);
            this.streamer = resources.add(new Streamer(
                    PartSettings.streamer(config),
                    feed,
                    subscriptions.view(),
                    meters.measured(deliverers),
                    deadLetters,
                    threads,
                    partitions));
            gateways.listen(streamer);
            partitions.serve(streamer);
            var saved = new Checkpoints(cluster.store(), settings.group());
            var mirror = mirror(config, settings.group());
            new FirstPositions(saved, settings.group(), InstantSource.system())
                    .prepare(configuredPartitions, subscriptions.size(), mirror);
            sayIfAnotherNumber(saved.list().size());
            this.group = opened.add(Group.start(meters.measured(cluster.store()), settings, partitions));
            partitions.of(group);
            this.positionMirror = mirror == null ? null : mirrorOf(saved, mirror, config);
            this.housekeeping = opened.add(new Housekeeping(
                    loops,
                    gateways,
                    subscriptions,
                    deadLetters,
                    config.routing().dlq().maxAge()));
            this.control = new ControlPlane(
                    subscriptions,
                    gateways,
                    new HeadAndLowWater(streamer),
                    PartSettings.usualProtocol(config.routing()),
                    deliverers::check,
                    PartSettings.servable(config.routing()));
            this.server = opened.add(StreamerGrpcServer.start(
                    config.routing().grpc().address(), ServerSettings.security(config.security()), control));
            meters.watch(this);
            GroupMeters.bind(registry, group::status, group.counters());
            if (positionMirror != null) {
                positionMirror.start(loops);
            }
            opened.keep();
        }
    }

    private void sayIfAnotherNumber(int partitions) {
        if (partitions != configuredPartitions) {
            LOG.warn(
                    "routing.num_partitions is {}, but there are {} partitions: the key counts at the first start only;"
                            + " write {} there, or change the number with: sluice partitions resize {}",
                    configuredPartitions,
                    partitions,
                    partitions,
                    configuredPartitions);
        }
    }

    private @Nullable MirroredPositions mirror(SluiceConfig config, String name) {
        return PartSettings.mirror(config)
                .map(store -> new MirroredPositions(resources.add(store), name, InstantSource.system()))
                .orElse(null);
    }

    private PositionMirror mirrorOf(Checkpoints saved, MirroredPositions mirror, SluiceConfig config) {
        var watched = new PositionMirror.Watched(
                () -> group.counters().saves(),
                partition -> group.claims().stream().anyMatch(claim -> claim.partition() == partition));
        return new PositionMirror(
                saved,
                mirror,
                watched,
                config.reliability().checkpoint().interval(),
                meters.checkpointErrors()::increment);
    }

    /** The logs of a Puller elsewhere. A Puller that is silent too long is given up, and the next one is read. */
    public static GrpcLogFeed feedOf(SluiceConfig config, Loops loops) {
        return new GrpcLogFeed(PartSettings.pullers(config), PartSettings.silence(config), loops);
    }

    /**
     * Starts the Streamer.
     *
     * @param feed of the Puller in this process, or of one elsewhere; its creator closes it after the Streamer
     * @param loops of this process, whose failures its health report reads
     */
    public static StreamerRole start(SluiceConfig config, EventFeed feed, MeterRegistry registry, Loops loops)
            throws IOException {
        var role = new StreamerRole(config, feed, registry, loops);
        LOG.atInfo()
                .addKeyValue("grpc", config.routing().grpc().address().host() + ":" + role.port())
                .addKeyValue("partitions", role.group.status().partitions())
                .addKeyValue("subscriptions", role.subscriptions.size())
                .log("streamer started");
        return role;
    }

    /** {@code routing.num_partitions}: how many a group has that starts for the first time. */
    int configuredPartitions() {
        return configuredPartitions;
    }

    /** Where subscriptions are registered by gRPC. */
    public int port() {
        return server.port();
    }

    public Streamer streamer() {
        return streamer;
    }

    public Group group() {
        return group;
    }

    public GatewayRegistry gateways() {
        return gateways;
    }

    public SubscriptionRegistry subscriptions() {
        return subscriptions;
    }

    public DeadLetters deadLetters() {
        return deadLetters;
    }

    ControlPlane control() {
        return control;
    }

    /** From how far behind a partition or a gateway is reported. */
    Duration lagThreshold() {
        return lagThreshold;
    }

    /** Why registrations are refused now; empty while they are taken. */
    Optional<String> refusesRegistrations() {
        try {
            heads.heads();
            return Optional.empty();
        } catch (NotReadyException later) {
            return Optional.of(String.valueOf(later.getMessage()));
        }
    }

    boolean isStopping() {
        return stopping;
    }

    long purgedDeadLetters() {
        return housekeeping.purged();
    }

    /** To be called before metrics are read. */
    public void refreshMetrics() {
        meters.refresh(streamer.status(), streamer.counters());
    }

    @Override
    public void close() {
        LOG.info("streamer stops: no registrations, no intake, then what is under way, then positions");
        stopping = true;
        server.close();
        housekeeping.close();
        if (!streamer.drain(flushTimeout)) {
            LOG.warn("not everything was acknowledged in time: it is sent again after the next start");
        }
        group.close();
        if (positionMirror != null) {
            positionMirror.close();
        }
        resources.close();
        LOG.info("streamer stopped");
    }
}
