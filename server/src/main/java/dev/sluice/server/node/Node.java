package dev.sluice.server.node;

import dev.sluice.feed.EventFeed;
import dev.sluice.grpc.GrpcLogFeed;
import dev.sluice.run.Loops;
import dev.sluice.server.Opened;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.gateway.GatewayRole;
import dev.sluice.server.http.LoopHealth;
import dev.sluice.server.http.NodeHttp;
import dev.sluice.server.http.NodePart;
import dev.sluice.server.outbox.OutboxAnswers;
import dev.sluice.server.outbox.OutboxRole;
import dev.sluice.server.puller.Puller;
import dev.sluice.server.puller.PullerAnswers;
import dev.sluice.server.streamer.LocalLogFeed;
import dev.sluice.server.streamer.StreamerAnswers;
import dev.sluice.server.streamer.StreamerRole;
import dev.sluice.server.worker.WorkerAnswers;
import dev.sluice.server.worker.WorkerRole;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The process of {@code sluice run}: the roles, and the HTTP side with their health and metrics. A Streamer beside a Puller reads its
 * logs, without sockets.
 *
 * <p>They stop in the order in which they depend on each other: the Streamer, whose last deliveries the gateway still
 * acknowledges; the gateway; the Puller. The outbox relay and the worker depend on none of them.
 */
public final class Node implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Loops loops = new Loops();
    private final @Nullable Puller puller;
    /** Of a Streamer whose Puller is elsewhere. */
    private final @Nullable GrpcLogFeed remoteLogs;

    private final @Nullable StreamerRole streamer;
    private final @Nullable GatewayRole gateway;
    private final @Nullable OutboxRole outbox;
    private final @Nullable WorkerRole worker;
    private final NodeHttp http;

    private Node(SluiceConfig config, Set<Role> roles, String version) throws IOException {
        try (var opened = new Opened()) {
            var parts = new ArrayList<NodePart>();
            this.puller = roles.contains(Role.PULLER) ? opened.add(Puller.start(config, registry, loops)) : null;
            if (puller != null) {
                parts.add(new PullerAnswers(puller));
            }
            var logs = roles.contains(Role.STREAMER) ? localLogs(config, puller) : null;
            this.remoteLogs = roles.contains(Role.STREAMER) && logs == null
                    ? opened.add(StreamerRole.feedOf(config, loops))
                    : null;
            EventFeed feed = logs == null ? remoteLogs : logs;
            this.streamer = feed == null ? null : opened.add(StreamerRole.start(config, feed, registry, loops));
            if (streamer != null) {
                parts.add(new StreamerAnswers(streamer));
            }
            this.gateway = roles.contains(Role.GATEWAY)
                    ? opened.add(GatewayRole.start(config, portOf(streamer), registry))
                    : null;
            if (gateway != null) {
                parts.add(gateway);
            }
            this.outbox = roles.contains(Role.OUTBOX) ? opened.add(OutboxRole.start(config, registry, loops)) : null;
            if (outbox != null) {
                parts.add(new OutboxAnswers(outbox));
            }
            this.worker = roles.contains(Role.WORKER) ? opened.add(WorkerRole.start(config, registry, loops)) : null;
            if (worker != null) {
                parts.add(new WorkerAnswers(worker));
            }
            var endpoints = new NodeHttp.Endpoints(
                    config.puller().health(), config.puller().metrics(), config.security());
            this.http = NodeHttp.start(endpoints, parts, new LoopHealth(loops), this::scrape, version);
            opened.keep();
        }
    }

    private static @Nullable LocalLogFeed localLogs(SluiceConfig config, @Nullable Puller here) {
        return here != null && config.routing().pullers().isEmpty()
                ? new LocalLogFeed(here.readers(), here.limits().retention(), here.consumers())
                : null;
    }

    private static OptionalInt portOf(@Nullable StreamerRole here) {
        return here == null ? OptionalInt.empty() : OptionalInt.of(here.port());
    }

    /** Everything runs when this returns; when it throws, nothing does. */
    public static Node start(SluiceConfig config, Set<Role> roles, String version) throws IOException {
        return new Node(config, roles, version);
    }

    /** @throws IllegalStateException when this node is none */
    public Puller puller() {
        return running(puller, Role.PULLER);
    }

    /** @throws IllegalStateException when this node is none */
    public StreamerRole streamer() {
        return running(streamer, Role.STREAMER);
    }

    /** @throws IllegalStateException when this node is none */
    public GatewayRole gateway() {
        return running(gateway, Role.GATEWAY);
    }

    /** @throws IllegalStateException when this node is none */
    public OutboxRole outbox() {
        return running(outbox, Role.OUTBOX);
    }

    /** @throws IllegalStateException when this node is none */
    public WorkerRole worker() {
        return running(worker, Role.WORKER);
    }

    private static <T> T running(@Nullable T part, Role role) {
        if (part == null) {
            throw new IllegalStateException("this node is no " + role);
        }
        return part;
    }

    public NodeHttp http() {
        return http;
    }

    /** All metrics in Prometheus' text form. */
    public String scrape() {
        if (streamer != null) {
            streamer.refreshMetrics();
        }
        return registry.scrape();
    }

    /** Says that it is not ready, stops the roles, and answers health until the end. */
    @Override
    public void close() {
        http.notReady();
        if (outbox != null) {
            outbox.close();
        }
        if (worker != null) {
            worker.close();
        }
        if (streamer != null) {
            streamer.close();
        }
        if (remoteLogs != null) {
            remoteLogs.close();
        }
        if (gateway != null) {
            gateway.close();
        }
        if (puller != null) {
            puller.close();
        }
        http.close();
    }
}
