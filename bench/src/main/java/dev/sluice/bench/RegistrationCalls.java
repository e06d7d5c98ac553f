package dev.sluice.bench;

import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.grpc.streamer.v1.RegisterRequest;
import dev.sluice.grpc.streamer.v1.Subscription;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.function.IntFunction;

/** Registers numbered subscriptions by gRPC, many in a call, over one connection. Any thread may call. */
final class RegistrationCalls implements AutoCloseable {
    private final ManagedChannel channel;
    private final IntFunction<Subscription> subscription;

    /** @param subscription of a number */
    RegistrationCalls(int port, IntFunction<Subscription> subscription) {
        this.channel =
                NettyChannelBuilder.forAddress("localhost", port).usePlaintext().build();
        this.subscription = subscription;
    }

    /** Returns how many were refused, with the reason of the first. */
    Refused register(int from, int end) {
        RegisterRequest.Builder request = RegisterRequest.newBuilder();
        for (int k = from; k < end; k++) {
            request.addSubscriptions(subscription.apply(k));
        }
        RegisterReply reply = SubscriptionServiceGrpc.newBlockingStub(channel).register(request.build());
        int refusals = reply.getRefusalsCount();
        return new Refused(refusals, refusals == 0 ? "" : reply.getRefusals(0).getReason());
    }

    record Refused(int count, String firstReason) {}

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
