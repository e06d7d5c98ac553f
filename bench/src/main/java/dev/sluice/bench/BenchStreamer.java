package dev.sluice.bench;

import dev.sluice.grpc.streamer.v1.GatewayHeartbeatReply;
import dev.sluice.grpc.streamer.v1.GatewayHeartbeatRequest;
import dev.sluice.grpc.streamer.v1.RegisterGatewayReply;
import dev.sluice.grpc.streamer.v1.RegisterGatewayRequest;
import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.grpc.streamer.v1.RegisterRequest;
import dev.sluice.grpc.streamer.v1.RemoveGatewayReply;
import dev.sluice.grpc.streamer.v1.RemoveGatewayRequest;
import dev.sluice.grpc.streamer.v1.RemoveReply;
import dev.sluice.grpc.streamer.v1.RemoveRequest;
import dev.sluice.grpc.streamer.v1.RenewReply;
import dev.sluice.grpc.streamer.v1.RenewRequest;
import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.net.Protection;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Streamer's control plane that answers at once, so that the gateway alone is measured. It knows a client by its filter
 * {@code {"user":N}}.
 */
final class BenchStreamer extends SubscriptionServiceGrpc.SubscriptionServiceImplBase implements AutoCloseable {
    private static final int LEASE_SECONDS = 30;

    private final Server server;
    private final Map<String, Integer> clients = new ConcurrentHashMap<>();
    private final Map<Integer, Registered> subscriptions = new ConcurrentHashMap<>();
    private final BlockingQueue<Registered> resumed = new LinkedBlockingQueue<>();
    private final AtomicInteger registrations = new AtomicInteger();
    private volatile String gatewayAddress = "";
    private volatile int head;

    /**
     * The subscription of a client.
     *
     * @param after the number of the last event that the client has
     */
    record Registered(String id, int client, int after) {}

    BenchStreamer() throws IOException {
        server = NettyServerBuilder.forAddress(
                        Listening.permit("a benchmark", ListenAddress.loopback(0), Protection.NONE))
                .directExecutor()
                .addService(this)
                .build()
                .start();
    }

    String address() {
        return "127.0.0.1:" + server.getPort();
    }

    /** Where the gateway takes deliveries; empty until it has registered. */
    String gatewayAddress() {
        return gatewayAddress;
    }

    /** Says which event happened last: subscriptions without {@code from} begin behind it. */
    void headIs(int event) {
        head = event;
    }

    /** Subscriptions registered since the start. */
    int registrations() {
        return registrations.get();
    }

    /** @throws IllegalStateException when the client has none */
    Registered subscription(int client) {
        Registered registered = subscriptions.get(client);
        if (registered == null) {
            throw new IllegalStateException("client " + client + " has no subscription");
        }
        return registered;
    }

    /** Subscriptions that were registered with a marker, in their order: they are owed the events behind it. */
    BlockingQueue<Registered> resumed() {
        return resumed;
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<RegisterReply> answer) {
        for (Subscription each : request.getSubscriptionsList()) {
            int client = Integer.parseInt(each.getFilter().replaceAll("\\D", ""));
            boolean resumes = !each.getFrom().isEmpty();
            Registered registered =
                    new Registered(each.getId(), client, resumes ? BenchEvent.numberOf(each.getFrom()) : head);
            clients.put(each.getId(), client);
            subscriptions.put(client, registered);
            registrations.incrementAndGet();
            if (resumes) {
                resumed.add(registered);
            }
        }
        send(
                answer,
                RegisterReply.newBuilder()
                        .setProgress(new BenchEvent(head).marker())
                        .build());
    }

    @Override
    public void remove(RemoveRequest request, StreamObserver<RemoveReply> answer) {
        for (String id : request.getIdsList()) {
            Integer client = clients.remove(id);
            if (client != null) {
                subscriptions.computeIfPresent(client, (same, now) -> now.id().equals(id) ? null : now);
            }
        }
        send(answer, RemoveReply.getDefaultInstance());
    }

    @Override
    public void renew(RenewRequest request, StreamObserver<RenewReply> answer) {
        // No marker: a client that resumes may not have got the events up to the head yet.
        send(answer, RenewReply.getDefaultInstance());
    }

    @Override
    public void registerGateway(RegisterGatewayRequest request, StreamObserver<RegisterGatewayReply> answer) {
        gatewayAddress = request.getEndpoint();
        send(
                answer,
                RegisterGatewayReply.newBuilder().setLeaseSeconds(LEASE_SECONDS).build());
    }

    @Override
    public void removeGateway(RemoveGatewayRequest request, StreamObserver<RemoveGatewayReply> answer) {
        send(answer, RemoveGatewayReply.getDefaultInstance());
    }

    @Override
    public void gatewayHeartbeat(GatewayHeartbeatRequest request, StreamObserver<GatewayHeartbeatReply> answer) {
        send(
                answer,
                GatewayHeartbeatReply.newBuilder()
                        .setKnown(true)
                        .setLeaseSeconds(LEASE_SECONDS)
                        .build());
    }

    private static <T> void send(StreamObserver<T> answer, T reply) {
        answer.onNext(reply);
        answer.onCompleted();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
