package dev.sluice.grpc;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.grpc.streamer.v1.GatewayHeartbeatReply;
import dev.sluice.grpc.streamer.v1.GatewayHeartbeatRequest;
import dev.sluice.grpc.streamer.v1.ListReply;
import dev.sluice.grpc.streamer.v1.ListRequest;
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
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.model.InvalidInputException;
import dev.sluice.subscribe.ControlPlane;
import dev.sluice.subscribe.NotReadyException;
import dev.sluice.subscribe.Refusal;
import dev.sluice.subscribe.SubscriptionBatch;
import dev.sluice.subscribe.SubscriptionPage;
import dev.sluice.subscribe.SubscriptionStoreException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code sluice.streamer.v1.SubscriptionService}: every call asks the control plane, and says what came of it. */
final class SubscriptionCalls extends SubscriptionServiceGrpc.SubscriptionServiceImplBase {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionCalls.class);

    private final ControlPlane control;

    SubscriptionCalls(ControlPlane control) {
        this.control = control;
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<RegisterReply> reply) {
        answer(reply, () -> {
            SubscriptionBatch batch = new SubscriptionBatch();
            request.getSubscriptionsList()
                    .forEach(message -> batch.add(message.getId(), () -> SubscriptionMessages.read(message)));
            ControlPlane.Registration registration = control.register(batch);
            if (registration.isRefused()) {
                throw refused(registration);
            }
            RegisterReply.Builder registered = RegisterReply.newBuilder()
                    .setProgress(registration.progress())
                    .setRevision(registration.revision());
            registration.refusals().forEach(refusal -> registered.addRefusals(SubscriptionMessages.write(refusal)));
            return registered.build();
        });
    }

    /** All of it was refused: the first reason stands for the others. */
    private static StatusRuntimeException refused(ControlPlane.Registration registration) {
        Refusal first = registration.refusals().getFirst();
        String reason =
                "subscription " + first.index() + " " + InvalidInputException.quote(first.id()) + ": " + first.reason();
        Status status = registration.isOverQuota() ? Status.RESOURCE_EXHAUSTED : Status.INVALID_ARGUMENT;
        return status.withDescription(reason).asRuntimeException();
    }

    @Override
    public void renew(RenewRequest request, StreamObserver<RenewReply> reply) {
        answer(reply, () -> {
            ControlPlane.Extension extension = control.renew(request.getIdsList(), request.getGatewayId());
            return RenewReply.newBuilder()
                    .addAllUnknown(extension.unknown())
                    .setProgress(extension.progress())
                    .build();
        });
    }

    @Override
    public void remove(RemoveRequest request, StreamObserver<RemoveReply> reply) {
        answer(
                reply,
                () -> RemoveReply.newBuilder()
                        .setRemoved(control.remove(request.getIdsList()))
                        .build());
    }

    @Override
    public void removeGateway(RemoveGatewayRequest request, StreamObserver<RemoveGatewayReply> reply) {
        answer(
                reply,
                () -> RemoveGatewayReply.newBuilder()
                        .setRemoved(control.removeGateway(request.getGatewayId()))
                        .build());
    }

    @Override
    public void list(ListRequest request, StreamObserver<ListReply> reply) {
        answer(reply, () -> {
            SubscriptionPage page = control.list(SubscriptionMessages.read(request));
            ListReply.Builder list = ListReply.newBuilder().setNextPageToken(page.next());
            page.subscriptions().forEach(each -> list.addSubscriptions(SubscriptionMessages.write(each)));
            return list.build();
        });
    }

    @Override
    public void registerGateway(RegisterGatewayRequest request, StreamObserver<RegisterGatewayReply> reply) {
        answer(reply, () -> {
            GatewayAddress address = new GatewayAddress(
                    request.getGatewayId(),
                    control.protocol(request.getProtocol()),
                    request.getEndpoint(),
                    request.getUnderstandsExcept());
            return RegisterGatewayReply.newBuilder()
                    .setLeaseSeconds(control.registerGateway(address).toSeconds())
                    .build();
        });
    }

    @Override
    public void gatewayHeartbeat(GatewayHeartbeatRequest request, StreamObserver<GatewayHeartbeatReply> reply) {
        answer(
                reply,
                () -> GatewayHeartbeatReply.newBuilder()
                        .setKnown(control.heartbeat(request.getGatewayId()))
                        .setLeaseSeconds(control.lease().toSeconds())
                        .build());
    }

    private static <T> void answer(StreamObserver<T> reply, Supplier<T> work) {
        T answer;
        try {
            answer = work.get();
        } catch (InvalidInputException bad) {
            reply.onError(
                    Status.INVALID_ARGUMENT.withDescription(bad.getMessage()).asRuntimeException());
            return;
        } catch (NotReadyException e) {
            reply.onError(Status.UNAVAILABLE.withDescription(e.getMessage()).asRuntimeException());
            return;
        } catch (SubscriptionStoreException e) {
            LOG.atError().setCause(e).log("a request of a gateway could not be kept");
            reply.onError(Status.UNAVAILABLE.withDescription(e.getMessage()).asRuntimeException());
            return;
        } catch (StatusRuntimeException refused) {
            reply.onError(refused);
            return;
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a request of a gateway failed");
            reply.onError(Status.INTERNAL
                    .withDescription("the Streamer failed at this request: see its log")
                    .asRuntimeException());
            return;
        }
        reply.onNext(answer);
        reply.onCompleted();
    }
}
