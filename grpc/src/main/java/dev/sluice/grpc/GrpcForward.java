package dev.sluice.grpc;

import dev.sluice.deliver.Reason;
import dev.sluice.grpc.worker.v1.HandleRequest;
import dev.sluice.grpc.worker.v1.HandlerServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Calls {@code sluice.worker.v1.HandlerService} of one receiver: one connection, a call per message. */
public final class GrpcForward implements AutoCloseable {
    private final GrpcDelivery settings;
    private final ManagedChannel channel;
    private final Channel calls;

    /** @param receiver {@code http://host:port}, or {@code https://host:port} for TLS */
    public GrpcForward(String receiver, GrpcDelivery settings) {
        this.settings = settings;
        this.channel = GrpcDeliverer.channel(receiver, settings);
        this.calls = GrpcDeliverer.authorized(channel, settings);
    }

    /** The receiver's answer. */
    public sealed interface Answer {
        /** Handled. */
        record Ok() implements Answer {}

        /** The message can never be handled. */
        record Refused(String reason) implements Answer {}

        /** The receiver answered that it could not handle the message. */
        record Failed(String reason) implements Answer {}

        /** The receiver did not answer, or is not available: it may or may not have handled the message. */
        record Away(String reason) implements Answer {}
    }

    /** Blocks until the answer is there or the timeout is over. */
    public Answer handle(HandleRequest request) throws InterruptedException {
        Duration timeout = settings.timeout();
        try {
            ClientCalls.blockingUnaryCall(
                    calls,
                    HandlerServiceGrpc.getHandleMethod(),
                    CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS),
                    request);
            return new Answer.Ok();
        } catch (StatusRuntimeException failed) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            connectAnewAfter(failed.getStatus());
            return read(failed);
        }
    }

    private static Answer read(StatusRuntimeException failed) {
        String reason = Reason.of(failed);
        return switch (failed.getStatus().getCode()) {
            case INVALID_ARGUMENT -> new Answer.Refused(reason);
            case RESOURCE_EXHAUSTED ->
                GrpcAnswer.isTooLarge(failed.getStatus()) ? new Answer.Refused(reason) : new Answer.Away(reason);
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNIMPLEMENTED, UNAUTHENTICATED, PERMISSION_DENIED ->
                new Answer.Away(reason);
            default -> new Answer.Failed(reason);
        };
    }

    /** The next call connects at once, and not after gRPC's own pause, which grows to minutes. */
    private void connectAnewAfter(Status status) {
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED || channel.getState(false) != ConnectivityState.READY) {
            channel.enterIdle();
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
