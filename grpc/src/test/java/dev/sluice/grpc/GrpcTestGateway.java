package dev.sluice.grpc;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Protocol;
import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.Rejection;
import dev.sluice.grpc.streamer.v1.Retry;
import dev.sluice.grpc.streamer.v1.StreamerEvent;
import dev.sluice.grpc.streamer.v1.StreamerServiceGrpc;
import dev.sluice.model.FencingToken;
import dev.sluice.testkit.contract.NetworkedGateway;
import dev.sluice.testkit.contract.Received;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** A real gRPC server that serves StreamerService, behind a network that can be turned bad. Its answers are raw bytes. */
final class GrpcTestGateway extends NetworkedGateway {
    private static final List<Consumer<StreamObserver<byte[]>>> GARBAGE = List.of(
            bytes(new byte[] {8, -1, -1}),
            bytes(DeliveryAck.newBuilder()
                    .addRejections(Rejection.newBuilder().setIndex(2))
                    .build()
                    .toByteArray()),
            bytes(DeliveryAck.newBuilder()
                    .addRejections(Rejection.newBuilder().setIndex(-1))
                    .build()
                    .toByteArray()),
            bytes(DeliveryAck.newBuilder()
                    .addRetries(Retry.newBuilder().setIndex(2))
                    .build()
                    .toByteArray()),
            bytes(DeliveryAck.newBuilder().setRejected(1).build().toByteArray()),
            bytes(new byte[0]),
            bytes(DeliveryAck.newBuilder().setAccepted(1).build().toByteArray()),
            bytes(DeliveryAck.newBuilder().setAccepted(3).build().toByteArray()),
            bytes(DeliveryAck.newBuilder()
                    .setAccepted(2)
                    .addRetries(Retry.newBuilder().setIndex(1))
                    .build()
                    .toByteArray()),
            StreamObserver::onCompleted,
            status(Status.UNAVAILABLE),
            status(Status.UNAUTHENTICATED),
            status(Status.PERMISSION_DENIED),
            status(Status.UNIMPLEMENTED),
            status(Status.INTERNAL),
            status(Status.UNKNOWN),
            status(Status.RESOURCE_EXHAUSTED.withDescription("too many batches: slower")));

    private final Server server;
    private final boolean tls;
    private volatile int garbage = -1;

    GrpcTestGateway(ServerCredentials credentials, boolean tls, int maxBytes) throws IOException {
        this.tls = tls;
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), credentials)
                .maxInboundMessageSize(maxBytes)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .addService(service())
                .build()
                .start();
        listensAt(server.getPort());
    }

    private static Consumer<StreamObserver<byte[]>> bytes(byte[] raw) {
        return answer -> {
            answer.onNext(raw);
            answer.onCompleted();
        };
    }

    private static Consumer<StreamObserver<byte[]>> status(Status status) {
        return answer -> answer.onError(status.asRuntimeException());
    }

    private ServerServiceDefinition service() {
        MethodDescriptor<EventBatch, byte[]> raw = StreamerServiceGrpc.getDeliverEventsMethod().toBuilder(
                        StreamerServiceGrpc.getDeliverEventsMethod().getRequestMarshaller(), new Raw())
                .build();
        return ServerServiceDefinition.builder(StreamerServiceGrpc.SERVICE_NAME)
                .addMethod(raw, ServerCalls.asyncUnaryCall(this::receive))
                .build();
    }

    private void receive(EventBatch batch, StreamObserver<byte[]> answer) {
        if (garbage >= 0) {
            GARBAGE.get(garbage).accept(answer);
            return;
        }
        meet(new Introductions(
                batch.getSubscriptionsList().stream()
                        .map(SubscriptionMessages::read)
                        .toList(),
                batch.getToldBeforeList()));
        switch (take(
                batch.getEventsList().stream().map(GrpcTestGateway::received).toList())) {
            case BatchOutcome.Delivered all ->
                bytes(DeliveryAck.newBuilder()
                                .setAccepted(batch.getEventsCount())
                                .build()
                                .toByteArray())
                        .accept(answer);
            case BatchOutcome.PerEvent some -> bytes(ack(some.outcomes())).accept(answer);
            case BatchOutcome.Refused refused ->
                status(Status.INVALID_ARGUMENT.withDescription(refused.reason()))
                        .accept(answer);
            case BatchOutcome.Fenced fenced ->
                status(Status.FAILED_PRECONDITION.withDescription(fenced.reason()))
                        .accept(answer);
            case BatchOutcome.RetryLater later -> {
                Metadata trailers = new Metadata();
                later.after()
                        .ifPresent(wait -> trailers.put(
                                Metadata.Key.of("retry-after", Metadata.ASCII_STRING_MARSHALLER),
                                Long.toString(wait.toSeconds())));
                answer.onError(
                        Status.UNAVAILABLE.withDescription(later.reason()).asRuntimeException(trailers));
            }
        }
    }

    private static byte[] ack(List<EventOutcome> outcomes) {
        DeliveryAck.Builder ack = DeliveryAck.newBuilder();
        for (int k = 0; k < outcomes.size(); k++) {
            if (outcomes.get(k) instanceof EventOutcome.Rejected no) {
                ack.addRejections(Rejection.newBuilder().setIndex(k).setReason(no.reason()));
            }
            if (outcomes.get(k) instanceof EventOutcome.NotHeld) {
                ack.addUnknown(k);
            }
            if (outcomes.get(k) instanceof EventOutcome.RetryLater later) {
                ack.addRetries(
                        Retry.newBuilder().setIndex(k).setReason(later.reason()).setBroke(later.eventMayBeToBlame()));
            }
        }
        return ack.setAccepted(outcomes.size() - ack.getRejectionsCount() - ack.getRetriesCount())
                .setRejected(ack.getRejectionsCount())
                .build()
                .toByteArray();
    }

    private static Received received(StreamerEvent event) {
        return new Received(
                event.getSubscriptionId(),
                event.getEventType(),
                event.getEventId(),
                event.getTenant(),
                event.getCollection(),
                event.getDocumentId(),
                Received.document(event.getPayload().toByteArray()),
                Received.document(event.getUpdateDescription().toByteArray()),
                event.getTimestamp(),
                event.getLookup(),
                event.getSeq(),
                event.getPartitionId(),
                new FencingToken(
                        event.getFencingToken().getGeneration(),
                        event.getFencingToken().getEpoch()),
                event.getRedelivery(),
                event.getProgress(),
                event.getRepresentative());
    }

    @Override
    public GatewayAddress address() {
        return new GatewayAddress("gw-grpc", Protocol.GRPC, (tls ? "https://" : "") + hostAndPort());
    }

    @Override
    public int kindsOfGarbage() {
        return GARBAGE.size();
    }

    @Override
    public void answerGarbage(int kind) {
        garbage = kind;
    }

    @Override
    public void close() {
        super.close();
        server.shutdownNow();
    }

    private static final class Raw implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
