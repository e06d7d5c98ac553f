package dev.sluice.grpc;

import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc.SubscriptionServiceBlockingStub;
import dev.sluice.model.Places;
import dev.sluice.subscribe.ControlPlane;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.StreamProgress;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import dev.sluice.testkit.time.VirtualClock;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** A served control plane over stores in memory, and those who call it. */
final class TestControlPlane implements AutoCloseable {
    final VirtualClock clock = new VirtualClock();
    final InMemorySubscriptions store = new InMemorySubscriptions();
    final GatewayRegistry gateways = new GatewayRegistry(GatewayLeases.DEFAULT, store, clock::nanos);
    final SubscriptionRegistry subscriptions;
    final StreamerGrpcServer server;
    private final List<ManagedChannel> channels = new ArrayList<>();

    TestControlPlane(SubscriptionQuotas quotas, ServerSecurity security, Duration slowest) throws IOException {
        subscriptions = new SubscriptionRegistry(
                quotas,
                store,
                gateways,
                clock::nanos,
                new Homes(Homes.Unclaimed.WAIT),
                () -> Places.OLDEST,
                InstantSource.system());
        ControlPlane control = new ControlPlane(subscriptions, gateways, new StreamProgress() {
            @Override
            public String head() {
                return "head-before-" + subscriptions.size();
            }

            @Override
            public String lowWater(String gatewayId) {
                return "low-water-of-" + gatewayId;
            }
        });
        server = StreamerGrpcServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), security, control, slowest);
    }

    TestControlPlane() throws IOException {
        this(SubscriptionQuotas.DEFAULT, ServerSecurity.NONE, Duration.ofSeconds(10));
    }

    /** Over a connection of its own. */
    ManagedChannel connect() {
        ManagedChannel channel = Grpc.newChannelBuilderForAddress(
                        "localhost", server.port(), InsecureChannelCredentials.create())
                .build();
        channels.add(channel);
        return channel;
    }

    SubscriptionServiceBlockingStub client() {
        return SubscriptionServiceGrpc.newBlockingStub(connect());
    }

    static Subscription subscription(String id, String gateway, String filter) {
        return Subscription.newBuilder()
                .setId(id)
                .setGatewayId(gateway)
                .setCollection("c")
                .setFilter(filter)
                .build();
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
        server.close();
    }
}
