package dev.sluice.bench;

import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.ProgressMarker;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/** Reads a Puller's backlog from its oldest event to its head by the generated stub, and does nothing with it. */
final class CountingConsumer implements AutoCloseable {
    private final ManagedChannel channel;

    /** @param direct handle messages on the connection's own thread, as a tuned client does */
    CountingConsumer(int port, boolean direct) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                .usePlaintext()
                .maxInboundMessageSize(64 << 20);
        channel = (direct ? builder.directExecutor() : builder).build();
    }

    /** Returns how many events it took to get to this marker. */
    long readTo(ProgressMarker head, Encoding encoding, boolean coalesce) {
        SubscribeRequest request = SubscribeRequest.newBuilder()
                .setConsumerId("bench")
                .setAfter(ProgressMarker.NOWHERE.encode())
                .setEncoding(encoding)
                .setCoalesceOnCatchUp(coalesce)
                .build();
        String end = head.encode();
        return count(
                observer -> PullerServiceGrpc.newStub(channel).subscribeBatches(request, observer),
                EventBatch::getEventsCount,
                batch -> batch.getProgress().equals(end));
    }

    /** Returns how many events came, each in its own message, until the server was done. */
    long readAll() {
        SubscribeRequest request = SubscribeRequest.getDefaultInstance();
        return this.<Event>count(
                observer -> PullerServiceGrpc.newStub(channel).subscribe(request, observer),
                event -> 1,
                event -> false);
    }

    private <M> long count(Consumer<StreamObserver<M>> call, ToIntFunction<M> size, Predicate<M> last) {
        CompletableFuture<Long> counted = new CompletableFuture<>();
        call.accept(new StreamObserver<>() {
            private long events;

            @Override
            public void onNext(M message) {
                events += size.applyAsInt(message);
                if (last.test(message)) {
                    counted.complete(events);
                }
            }

            @Override
            public void onError(Throwable failure) {
                counted.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {
                counted.complete(events);
            }
        });
        return counted.join();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
