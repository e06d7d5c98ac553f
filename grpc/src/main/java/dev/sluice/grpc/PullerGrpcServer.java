package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.log.LogReader;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.run.Loops;
import dev.sluice.stream.ConsumersView;
import dev.sluice.stream.WindowBudget;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Serves {@code sluice.puller.v1.PullerService}, the standard health service and reflection on one address. Closing it
 * ends every stream after the batch it is sending, with a status that makes consumers connect again.
 */
public final class PullerGrpcServer implements AutoCloseable {
    private static final int MAX_REQUEST_BYTES = 1 << 20;
    private static final int FASTEST_PING_SECONDS = 10;
    private static final int GRACE_SECONDS = 5;

    private final Streams streams;
    private final HealthStatusManager health = new HealthStatusManager();
    private final Server server;

    private PullerGrpcServer(Streams streams, InetSocketAddress address, ServerSecurity security) throws IOException {
        this.streams = streams;
        // Callbacks only wake somebody, so they run where they arise.
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address, security.credentials())
                .directExecutor()
                .maxInboundMessageSize(MAX_REQUEST_BYTES)
                .permitKeepAliveTime(FASTEST_PING_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(20, TimeUnit.SECONDS)
                .addService(new PullerService(streams).definition())
                .addService(health.getHealthService())
                .addService(ProtoReflectionServiceV1.newInstance());
        String token = security.token();
        if (token != null) {
            builder.intercept(new TokenCheck(token));
        }
        this.server = builder.build().start();
        health.setStatus(PullerServiceGrpc.SERVICE_NAME, ServingStatus.SERVING);
    }

    /** Starts serving, with a loop that no health report reads: for tests and benchmarks. */
    public static PullerGrpcServer start(
            ListenAddress address, ServerSecurity security, Map<String, LogReader> backends, PullerOptions options)
            throws IOException {
        return start(address, security, backends, options, new Loops());
    }

    /**
     * Starts serving.
     *
     * @param backends each backend's log by its name
     * @param loops of this process; one of them wakes the calls when time has passed
     * @throws dev.sluice.net.BindRefusedException when the address may not be listened on
     */
    public static PullerGrpcServer start(
            ListenAddress address,
            ServerSecurity security,
            Map<String, LogReader> backends,
            PullerOptions options,
            Loops loops)
            throws IOException {
        InetSocketAddress permitted = Listening.permit("puller.grpc", address, security.protection());
        Streams streams = new Streams(backends, options, loops);
        try {
            return new PullerGrpcServer(streams, permitted, security);
        } catch (IOException | RuntimeException failed) {
            streams.close();
            throw failed;
        }
    }

    public int port() {
        return server.getPort();
    }

    /** Who is connected. */
    public ConsumersView consumers() {
        return streams.consumers();
    }

    /** What consumers that catch up take of the heap. */
    WindowBudget windows() {
        return streams.windows();
    }

    /** What the standard health service says of this server. */
    public void serving(boolean ready) {
        health.setStatus(PullerServiceGrpc.SERVICE_NAME, ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    }

    @Override
    public void close() {
        health.enterTerminalState();
        server.shutdown();
        streams.stop();
        try {
            if (!server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException stop) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        streams.close();
    }
}
