package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Passed;
import dev.sluice.deliver.Protocol;
import dev.sluice.grpc.CallLimit;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.SubscriptionMessages;
import dev.sluice.grpc.TokenCheck;
import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.Rejection;
import dev.sluice.grpc.streamer.v1.Retry;
import dev.sluice.grpc.streamer.v1.StreamerEvent;
import dev.sluice.grpc.streamer.v1.StreamerServiceGrpc;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Serves {@code sluice.streamer.v1.StreamerService}. */
final class GrpcEndpoint implements Endpoint {
    private static final int CALLS_AT_ONCE = 64;
    private static final Duration SLOWEST = Duration.ofSeconds(30);
    private static final int GRACE_SECONDS = 5;

    private final String gatewayId;
    private final Intake intake;
    private final ListenAddress address;
    private final boolean tls;
    private final CallLimit limit = new CallLimit(CALLS_AT_ONCE, SLOWEST);
    private final Server server;

    /** @throws dev.sluice.net.BindRefusedException when the address may not be listened on */
    GrpcEndpoint(String gatewayId, ListenAddress address, ServerSecurity security, Intake intake) {
        this.gatewayId = gatewayId;
        this.intake = intake;
        this.address = address;
        this.tls = security.certificate() != null;
        InetSocketAddress permitted = Listening.permit("the gateway", address, security.protection());
        try {
            NettyServerBuilder builder = NettyServerBuilder.forAddress(permitted, security.credentials())
                    .executor(Executors.newVirtualThreadPerTaskExecutor())
                    .maxInboundMessageSize(intake.maxBytes())
                    .maxConcurrentCallsPerConnection(CALLS_AT_ONCE)
                    .permitKeepAliveTime(10, TimeUnit.SECONDS)
                    .permitKeepAliveWithoutCalls(true)
                    .addService(ServerInterceptors.intercept(new Service(), limit))
                    .addService(new HealthStatusManager().getHealthService())
                    .addService(ProtoReflectionServiceV1.newInstance());
            if (security.token() != null) {
                builder.intercept(new TokenCheck(security.token()));
            }
            this.server = builder.build().start();
        } catch (IOException failed) {
            limit.close();
            throw new UncheckedIOException("the gateway cannot listen on " + address, failed);
        }
    }

    private final class Service extends StreamerServiceGrpc.StreamerServiceImplBase {
        @Override
        public void deliverEvents(EventBatch batch, StreamObserver<DeliveryAck> answer) {
            switch (receive(batch)) {
                case BatchOutcome.Delivered all ->
                    acknowledge(answer, Collections.nCopies(batch.getEventsCount(), EventOutcome.DELIVERED));
                case BatchOutcome.PerEvent some -> acknowledge(answer, some.outcomes());
                case BatchOutcome.Fenced fenced -> fail(answer, Status.FAILED_PRECONDITION, fenced.reason());
                case BatchOutcome.Refused refused -> fail(answer, Status.INVALID_ARGUMENT, refused.reason());
                case BatchOutcome.RetryLater later ->
                    fail(answer, later.eventMayBeToBlame() ? Status.INTERNAL : Status.UNAVAILABLE, later.reason());
            }
        }
    }

    /** Its own events for another gateway, which had this address before, must not be acknowledged here. */
    private BatchOutcome receive(EventBatch batch) {
        boolean mine = batch.getGatewayId().isEmpty() || batch.getGatewayId().equals(gatewayId);
        return mine
                ? intake.take(batch.getSerializedSize(), () -> read(batch))
                : new BatchOutcome.RetryLater(
                        "this is gateway " + gatewayId + ", not " + InvalidInputException.quote(batch.getGatewayId()));
    }

    private static IncomingBatch read(EventBatch batch) {
        return new IncomingBatch(
                batch.getEventsList().stream().map(GrpcEndpoint::read).toList(),
                new Introductions(
                        batch.getSubscriptionsList().stream()
                                .map(SubscriptionMessages::read)
                                .toList(),
                        batch.getToldBeforeList()),
                batch.getPerEventRetries(),
                batch.getPassedList().stream()
                        .flatMap(passed -> read(passed).stream())
                        .toList());
    }

    private static Optional<Passed> read(dev.sluice.grpc.streamer.v1.Passed passed) {
        return PassedPartitions.read(
                passed.getGeneration(),
                passed.getPartitions(),
                passed.getPartitionId(),
                passed.getMarker(),
                passed.getRevision(),
                passed.getExceptList());
    }

    private static Incoming read(StreamerEvent event) {
        if (event.getSubscriptionId().isEmpty() || event.getEventId().isEmpty()) {
            throw new InvalidInputException("an event needs a subscription_id and an event_id");
        }
        ReceivedEvent received = new ReceivedEvent(
                event.getSubscriptionId(),
                EventType.parse(event.getEventType()),
                event.getEventId(),
                event.getTenant(),
                event.getCollection(),
                event.getDocumentId(),
                text(event.getPayload().toStringUtf8()),
                text(event.getUpdateDescription().toStringUtf8()),
                event.getTimestamp(),
                event.getLookup(),
                event.getRedelivery(),
                event.getProgress());
        FencingToken token = new FencingToken(
                event.getFencingToken().getGeneration(), event.getFencingToken().getEpoch());
        Priority standsFor = event.getRepresentative() ? Priority.parse(event.getPriority()) : null;
        return new Incoming(
                received,
                event.getSeq(),
                event.getPartitionId(),
                token,
                standsFor,
                event.getRevision(),
                event.getLog(),
                event.getExceptList());
    }

    private static Optional<String> text(String json) {
        return json.isEmpty() ? Optional.empty() : Optional.of(json);
    }

    private static void acknowledge(StreamObserver<DeliveryAck> answer, List<EventOutcome> outcomes) {
        DeliveryAck.Builder ack = DeliveryAck.newBuilder();
        for (int k = 0; k < outcomes.size(); k++) {
            switch (outcomes.get(k)) {
                case EventOutcome.Delivered has -> {}
                case EventOutcome.NotHeld nobody -> ack.addUnknown(k);
                case EventOutcome.Rejected no ->
                    ack.addRejections(Rejection.newBuilder().setIndex(k).setReason(no.reason()));
                case EventOutcome.RetryLater later ->
                    ack.addRetries(Retry.newBuilder()
                            .setIndex(k)
                            .setReason(later.reason())
                            .setBroke(later.eventMayBeToBlame()));
            }
        }
        ack.setRejected(ack.getRejectionsCount());
        ack.setAccepted(outcomes.size() - ack.getRejectionsCount() - ack.getRetriesCount());
        answer.onNext(ack.build());
        answer.onCompleted();
    }

    private static void fail(StreamObserver<DeliveryAck> answer, Status status, String reason) {
        answer.onError(status.withDescription(reason).asRuntimeException());
    }

    @Override
    public Protocol protocol() {
        return Protocol.GRPC;
    }

    @Override
    public String address() {
        return (tls ? "https://" : "") + new ListenAddress(address.host(), server.getPort());
    }

    @Override
    public void close() {
        server.shutdown();
        try {
            if (!server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
            }
        } catch (InterruptedException stop) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        limit.close();
    }
}
