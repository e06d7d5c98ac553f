package dev.sluice.grpc;

import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.subscribe.ControlPlane;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Serves {@code sluice.streamer.v1.SubscriptionService}, the standard health service and reflection on one address.
 * Closing it lets the calls under way end.
 */
public final class StreamerGrpcServer implements AutoCloseable {
    private static final int MAX_REQUEST_BYTES = 4 << 20;
    private static final int CALLS_AT_A_TIME = 64;
    private static final int CALLS_OF_ONE = 16;
    private static final Duration SLOWEST_REQUEST = Duration.ofSeconds(10);
    private static final int SLOWEST_HANDSHAKE_SECONDS = 20;
    private static final int FASTEST_PING_SECONDS = 10;
    private static final int GRACE_SECONDS = 5;

    private final HealthStatusManager health = new HealthStatusManager();
    /** Registrations wait for the disk and for each other, on threads that cost nothing meanwhile. */
    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

    private final CallLimit limit;
    private final Server server;

    private StreamerGrpcServer(
            ControlPlane control, InetSocketAddress address, ServerSecurity security, CallLimit limit)
            throws IOException {
        this.limit = limit;
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address, security.credentials())
                .executor(calls)
                .maxInboundMessageSize(MAX_REQUEST_BYTES)
                .maxConcurrentCallsPerConnection(CALLS_OF_ONE)
                .handshakeTimeout(SLOWEST_HANDSHAKE_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveTime(FASTEST_PING_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(20, TimeUnit.SECONDS)
                .addService(ServerInterceptors.intercept(new SubscriptionCalls(control), limit))
                .addService(health.getHealthService())
                .addService(ProtoReflectionServiceV1.newInstance());
        String token = security.token();
        if (token != null) {
            builder.intercept(new TokenCheck(token));
        }
        this.server = builder.build().start();
        health.setStatus(SubscriptionServiceGrpc.SERVICE_NAME, ServingStatus.SERVING);
    }

    /**
     * Starts serving.
     *
     * @throws dev.sluice.net.BindRefusedException when the address may not be listened on
     */
    public static StreamerGrpcServer start(ListenAddress address, ServerSecurity security, ControlPlane control)
            throws IOException {
        InetSocketAddress permitted = Listening.permit("streamer.grpc", address, security.protection());
        return start(permitted, security, control, SLOWEST_REQUEST);
    }

    static StreamerGrpcServer start(
            InetSocketAddress address, ServerSecurity security, ControlPlane control, Duration slowest)
            throws IOException {
        CallLimit limit = new CallLimit(CALLS_AT_A_TIME, slowest);
        try {
            return new StreamerGrpcServer(control, address, security, limit);
        } catch (IOException | RuntimeException failed) {
            limit.close();
            throw failed;
        }
    }

    public int port() {
        return server.getPort();
    }

    /** What the standard health service says of this server. */
    public void serving(boolean ready) {
        health.setStatus(
                SubscriptionServiceGrpc.SERVICE_NAME, ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    }

    @Override
    public void close() {
        health.enterTerminalState();
        server.shutdown();
        try {
            if (!server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException stop) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        calls.shutdown();
        limit.close();
    }
}
