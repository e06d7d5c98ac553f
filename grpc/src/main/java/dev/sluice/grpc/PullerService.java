package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.log.LogReader;
import dev.sluice.model.InvalidInputException;
import dev.sluice.stream.LogStart;
import dev.sluice.stream.StreamRequest;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCalls;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code sluice.puller.v1.PullerService} with answers whose bytes are laid out by us. Its callbacks run on the
 * connection's own thread: they read the request, admit the call and wake it, no more.
 */
final class PullerService {
    private static final Logger LOG = LoggerFactory.getLogger(PullerService.class);

    /** Sent ahead of the consumer's readiness; with a batch, all a consumer that does not read can cost. */
    private static final int UNSENT_BYTES = 512 << 10;

    private final Streams streams;
    private final LogCalls logs;

    PullerService(Streams streams) {
        this.streams = streams;
        this.logs = new LogCalls(streams.backends(), streams.threads());
    }

    ServerServiceDefinition definition() {
        MethodDescriptor<SubscribeRequest, EncodedMessage> single = laidOut(PullerServiceGrpc.getSubscribeMethod());
        MethodDescriptor<SubscribeRequest, EncodedMessage> batches =
                laidOut(PullerServiceGrpc.getSubscribeBatchesMethod());
        ServiceDescriptor generated = PullerServiceGrpc.getServiceDescriptor();
        ServiceDescriptor service = ServiceDescriptor.newBuilder(generated.getName())
                .setSchemaDescriptor(generated.getSchemaDescriptor())
                .addMethod(single)
                .addMethod(batches)
                .addMethod(PullerServiceGrpc.getLogsMethod())
                .addMethod(PullerServiceGrpc.getResolveMethod())
                .build();
        return ServerServiceDefinition.builder(service)
                .addMethod(single, handler(false))
                .addMethod(batches, handler(true))
                .addMethod(PullerServiceGrpc.getLogsMethod(), ServerCalls.asyncUnaryCall(logs::logs))
                .addMethod(PullerServiceGrpc.getResolveMethod(), ServerCalls.asyncUnaryCall(logs::resolve))
                .build();
    }

    private static <R> MethodDescriptor<SubscribeRequest, EncodedMessage> laidOut(
            MethodDescriptor<SubscribeRequest, R> generated) {
        return generated.toBuilder(generated.getRequestMarshaller(), EncodedMessage.MARSHALLER)
                .build();
    }

    private ServerCallHandler<SubscribeRequest, EncodedMessage> handler(boolean batched) {
        return (call, headers) -> {
            call.setOnReadyThreshold(UNSENT_BYTES);
            call.request(1);
            return new Listener(call, batched);
        };
    }

    private final class Listener extends ServerCall.Listener<SubscribeRequest> {
        private final ServerCall<SubscribeRequest, EncodedMessage> call;
        private final boolean batched;
        private @Nullable ConsumerCall consumer;
        private boolean asked;

        Listener(ServerCall<SubscribeRequest, EncodedMessage> call, boolean batched) {
            this.call = call;
            this.batched = batched;
        }

        @Override
        public void onMessage(SubscribeRequest message) {
            asked = true;
            try {
                admit(Requests.read(message));
            } catch (InvalidInputException bad) {
                call.close(Status.INVALID_ARGUMENT.withDescription(bad.getMessage()), new Metadata());
            } catch (StatusRuntimeException refused) {
                Metadata trailers = refused.getTrailers();
                call.close(refused.getStatus(), trailers == null ? new Metadata() : trailers);
            }
        }

        private SortedMap<String, LogReader> readBy(StreamRequest request) {
            LogStart start = request.start();
            return start == null
                    ? streams.backends()
                    : new TreeMap<>(Map.of(start.log(), logs.log(start.log(), start.identity())));
        }

        private void admit(StreamRequest request) {
            long id = streams.consumers().nextCall();
            ConsumerCall admitted = new ConsumerCall(id, call, request, batched, streams, readBy(request));
            if (!streams.admit(id, admitted)) {
                LOG.warn(
                        "event=refused consumer='{}': {} are connected",
                        request.label(),
                        streams.consumers().most());
                call.close(
                        Status.RESOURCE_EXHAUSTED.withDescription("This server already serves "
                                + streams.consumers().most()
                                + " consumers: use another, or raise puller.grpc.max_connections"),
                        new Metadata());
                return;
            }
            consumer = admitted;
        }

        @Override
        public void onHalfClose() {
            if (!asked) {
                call.close(Status.INVALID_ARGUMENT.withDescription("Send one SubscribeRequest."), new Metadata());
            }
        }

        @Override
        public void onReady() {
            if (consumer != null) {
                consumer.wake();
            }
        }

        @Override
        public void onCancel() {
            if (consumer != null) {
                consumer.cancel();
            }
        }

        @Override
        public void onComplete() {
            onCancel();
        }
    }
}
