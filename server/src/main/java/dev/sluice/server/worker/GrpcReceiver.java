package dev.sluice.server.worker;

import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.grpc.GrpcForward;
import dev.sluice.grpc.worker.v1.FencingToken;
import dev.sluice.grpc.worker.v1.HandleRequest;
import dev.sluice.grpc.worker.v1.Header;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.stream.StreamMessage;

/** Calls {@code sluice.worker.v1.HandlerService} of a receiver. */
final class GrpcReceiver implements Receiver {
    private final String stream;
    private final GrpcForward grpc;

    GrpcReceiver(String stream, GrpcForward grpc) {
        this.stream = stream;
        this.grpc = grpc;
    }

    @Override
    public Answer send(MessageContext context, StreamMessage message) throws InterruptedException {
        return switch (grpc.handle(request(context, message))) {
            case GrpcForward.Answer.Ok ok -> Answer.ACCEPTED;
            case GrpcForward.Answer.Refused refused -> new Answer.Refused(refused.reason());
            case GrpcForward.Answer.Failed failed -> new Answer.Failed(failed.reason());
            case GrpcForward.Answer.Away away -> new Answer.Away(away.reason());
        };
    }

    private HandleRequest request(MessageContext context, StreamMessage message) {
        HandleRequest.Builder request = HandleRequest.newBuilder()
                .setStream(stream)
                .setSubject(context.subject())
                .setPartition(context.partition())
                .setSequence(message.sequence())
                .setFencingToken(FencingToken.newBuilder()
                        .setGeneration(context.token().generation())
                        .setEpoch(context.token().epoch()))
                .setAttempt(context.attempt())
                .setWorker(context.worker())
                .setStoredAt(message.storedAt().toEpochMilli())
                .setData(UnsafeByteOperations.unsafeWrap(message.data()));
        message.headers()
                .forEach((name, values) ->
                        request.addHeaders(Header.newBuilder().setName(name).addAllValues(values)));
        return request.build();
    }

    @Override
    public void close() {
        grpc.close();
    }
}
