package dev.sluice.server.streamer;

import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.Rejection;
import dev.sluice.grpc.streamer.v1.StreamerEvent;
import dev.sluice.grpc.streamer.v1.StreamerServiceGrpc;
import dev.sluice.model.FencingToken;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

final class GrpcChaosGateway extends StreamerServiceGrpc.StreamerServiceImplBase {
    private static final int LARGEST_MESSAGE = 64 * 1024 * 1024;

    private final ChaosReceiver receiver;

    private GrpcChaosGateway(ChaosReceiver receiver) {
        this.receiver = receiver;
    }

    static void start(int port, ChaosReceiver receiver) throws IOException {
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .addService(new GrpcChaosGateway(receiver))
                .build()
                .start();
    }

    @Override
    public void deliverEvents(EventBatch batch, StreamObserver<DeliveryAck> answers) {
        GatewayAnswer answer = receiver.take(
                batch.getEventsList().stream().map(GrpcChaosGateway::received).toList());
        switch (answer) {
            case GatewayAnswer.Taken taken -> {
                answers.onNext(acknowledgement(batch, taken));
                answers.onCompleted();
            }
            case GatewayAnswer.Away away ->
                answers.onError(status(away.status()).asRuntimeException());
            case GatewayAnswer.TooLarge tooLarge ->
                answers.onError(Status.INVALID_ARGUMENT
                        .withDescription("too many events at once")
                        .asRuntimeException());
            case GatewayAnswer.Stale stale -> answers.onError(Status.FAILED_PRECONDITION.asRuntimeException());
            case GatewayAnswer.Silence silence -> {}
        }
    }

    private static Status status(int http) {
        return switch (http) {
            case 401 -> Status.UNAUTHENTICATED;
            case 404 -> Status.UNIMPLEMENTED;
            case 429 -> Status.RESOURCE_EXHAUSTED;
            case 503 -> Status.UNAVAILABLE;
            default -> Status.INTERNAL;
        };
    }

    private static DeliveryAck acknowledgement(EventBatch batch, GatewayAnswer.Taken taken) {
        var ack = DeliveryAck.newBuilder()
                .setAccepted(batch.getEventsCount() - taken.rejected().size())
                .setRejected(taken.rejected().size());
        taken.rejected()
                .forEach(index ->
                        ack.addRejections(Rejection.newBuilder().setIndex(index).setReason("poison")));
        return ack.build();
    }

    private static Received received(StreamerEvent event) {
        return new Received(
                event.getSubscriptionId(),
                event.getEventId(),
                event.getDocumentId(),
                event.getPayload().toStringUtf8(),
                event.getPartitionId(),
                new FencingToken(
                        event.getFencingToken().getGeneration(),
                        event.getFencingToken().getEpoch()),
                event.getRedelivery());
    }
}
