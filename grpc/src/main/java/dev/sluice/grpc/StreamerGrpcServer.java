package dev.sluice.grpc;

import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.subscribe.ControlPlane;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
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
    private static final int BEATS_AT_A_TIME = 64;
    private static final int CALLS_OF_ONE = 16;
    private static final Duration SLOWEST_REQUEST = Duration.ofSeconds(10);
    private static final int SLOWEST_HANDSHAKE_SECONDS = 20;
    private static final int FASTEST_PING_SECONDS = 10;
    private static final int GRACE_SECONDS = 5;

    private final HealthStatusManager health = new HealthStatusManager();
    /** Registrations wait for the disk and for each other, on threads that cost nothing meanwhile. */
    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

    private final Limits limits;
    private final Server server;

    /**
     * Whoever shows that it is still there has room of its own: registrations that wait for a slow disk, and lists that
     * nobody reads, must not end the leases of all.
     */
    private record Limits(CallLimit work, CallLimit beats) implements ServerInterceptor, AutoCloseable {
        private static final Set<MethodDescriptor<?, ?>> BEATS =
                Set.of(SubscriptionServiceGrpc.getGatewayHeartbeatMethod(), SubscriptionServiceGrpc.getRenewMethod());

        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            CallLimit limit = BEATS.contains(call.getMethodDescriptor()) ? beats : work;
            return limit.interceptCall(call, headers, next);
        }

        @Override
        public void close() {
            work.close();
            beats.close();
        }
    }

    private StreamerGrpcServer(ControlPlane control, InetSocketAddress address, ServerSecurity security, Limits limits)
            throws IOException {
        this.limits = limits;
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address, security.credentials())
                .executor(calls)
                .maxInboundMessageSize(MAX_REQUEST_BYTES)
                .maxConcurrentCallsPerConnection(CALLS_OF_ONE)
                .handshakeTimeout(SLOWEST_HANDSHAKE_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveTime(FASTEST_PING_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(20, TimeUnit.SECONDS)
                .addService(ServerInterceptors.intercept(new SubscriptionCalls(control), limits))
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
        Limits limits = new Limits(new CallLimit(CALLS_AT_A_TIME, slowest), new CallLimit(BEATS_AT_A_TIME, slowest));
        try {
            return new StreamerGrpcServer(control, address, security, limits);
        } catch (IOException | RuntimeException failed) {
            limits.close();
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
        limits.close();
    }
}
