package dev.sluice.gateway;

import dev.sluice.deliver.Protocol;
import dev.sluice.grpc.SubscriptionMessages;
import dev.sluice.grpc.streamer.v1.GatewayHeartbeatReply;
import dev.sluice.grpc.streamer.v1.GatewayHeartbeatRequest;
import dev.sluice.grpc.streamer.v1.ListReply;
import dev.sluice.grpc.streamer.v1.ListRequest;
import dev.sluice.grpc.streamer.v1.RegisterGatewayRequest;
import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.grpc.streamer.v1.RegisterRequest;
import dev.sluice.grpc.streamer.v1.RemoveGatewayRequest;
import dev.sluice.grpc.streamer.v1.RemoveRequest;
import dev.sluice.grpc.streamer.v1.RenewReply;
import dev.sluice.grpc.streamer.v1.RenewRequest;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc.SubscriptionServiceBlockingStub;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The calls a gateway makes of the Streamer. They end in bounded time, and say who must act. */
final class StreamerLink implements AutoCloseable {
    private static final int DEADLINE_SECONDS = 10;
    private static final int LARGEST_REPLY = 16 << 20;

    private final StreamerAccess access;
    private final ManagedChannel channel;
    private final SubscriptionServiceBlockingStub stub;

    /** A Streamer serves few calls at a time of one connection: a heartbeat must not wait behind many registrations. */
    private final ManagedChannel beats;

    private final SubscriptionServiceBlockingStub beatsStub;

    StreamerLink(StreamerAccess access) {
        this.access = access;
        this.channel = channel(access);
        this.stub = stub(channel, access);
        this.beats = channel(access);
        this.beatsStub = stub(beats, access);
    }

    private static ManagedChannel channel(StreamerAccess access) {
        return Grpc.newChannelBuilder(access.address(), credentials(access))
                .maxInboundMessageSize(LARGEST_REPLY)
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .build();
    }

    private static SubscriptionServiceBlockingStub stub(ManagedChannel channel, StreamerAccess access) {
        SubscriptionServiceBlockingStub plain = SubscriptionServiceGrpc.newBlockingStub(channel);
        return access.token() == null
                ? plain
                : plain.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer(access.token())));
    }

    private static ChannelCredentials credentials(StreamerAccess access) {
        if (!access.tls()) {
            return InsecureChannelCredentials.create();
        }
        try {
            TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
            if (access.trusted() != null) {
                tls.trustManager(access.trusted().toFile());
            }
            if (access.certificate() != null && access.key() != null) {
                tls.keyManager(access.certificate().toFile(), access.key().toFile());
            }
            return tls.build();
        } catch (IOException unreadable) {
            throw new UncheckedIOException("cannot read a certificate to reach the Streamer with", unreadable);
        }
    }

    private static Metadata bearer(String token) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        return headers;
    }

    /** Returns how long it counts as there without a heartbeat. */
    Duration registerGateway(String id, String endpoint, Protocol protocol) {
        RegisterGatewayRequest request = RegisterGatewayRequest.newBuilder()
                .setGatewayId(id)
                .setEndpoint(endpoint)
                .setProtocol(protocol.text())
                .setUnderstandsExcept(true)
                .build();
        return Duration.ofSeconds(call(stub -> stub.registerGateway(request)).getLeaseSeconds());
    }

    GatewayHeartbeatReply heartbeat(String id) {
        return call(
                beatsStub,
                stub -> stub.gatewayHeartbeat(
                        GatewayHeartbeatRequest.newBuilder().setGatewayId(id).build()));
    }

    RegisterReply register(List<Subscription> subscriptions) {
        RegisterRequest.Builder request = RegisterRequest.newBuilder();
        subscriptions.forEach(subscription -> request.addSubscriptions(SubscriptionMessages.write(subscription)));
        return call(stub -> stub.register(request.build()));
    }

    /** Returns the subscriptions the Streamer has of this gateway, by id. */
    Map<String, Duration> timesToLive(String gatewayId) {
        Map<String, Duration> found = new HashMap<>();
        String page = "";
        do {
            ListRequest request = ListRequest.newBuilder()
                    .setGatewayId(gatewayId)
                    .setPageToken(page)
                    .build();
            ListReply reply = call(stub -> stub.list(request));
            reply.getSubscriptionsList().forEach(each -> found.put(each.getId(), timeToLive(each.getTtlSeconds())));
            page = reply.getNextPageToken();
        } while (!page.isEmpty());
        return found;
    }

    private static Duration timeToLive(long seconds) {
        return seconds > 0 ? Duration.ofSeconds(seconds) : Subscription.DEFAULT_TTL;
    }

    RenewReply renew(Collection<String> ids) {
        return call(stub -> stub.renew(RenewRequest.newBuilder().addAllIds(ids).build()));
    }

    void remove(Collection<String> ids) {
        call(stub -> stub.remove(RemoveRequest.newBuilder().addAllIds(ids).build()));
    }

    void removeGateway(String id) {
        call(stub -> stub.removeGateway(
                RemoveGatewayRequest.newBuilder().setGatewayId(id).build()));
    }

    private <T> T call(Function<SubscriptionServiceBlockingStub, T> call) {
        return call(stub, call);
    }

    private <T> T call(SubscriptionServiceBlockingStub by, Function<SubscriptionServiceBlockingStub, T> call) {
        try {
            return call.apply(by.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS));
        } catch (StatusRuntimeException answer) {
            throw explained(answer);
        }
    }

    private RuntimeException explained(StatusRuntimeException answer) {
        String said = String.valueOf(answer.getStatus().getDescription());
        return switch (answer.getStatus().getCode()) {
            case OUT_OF_RANGE -> new MissedEventsException(said);
            case INVALID_ARGUMENT, FAILED_PRECONDITION -> new InvalidInputException(said);
            case RESOURCE_EXHAUSTED -> new QuotaExceededException(said);
            default ->
                new StreamerUnavailableException(
                        "The Streamer at " + access + " does not answer ("
                                + answer.getStatus().getCode() + ": " + said + "): see that it runs and lets us in.",
                        answer);
        };
    }

    @Override
    public void close() {
        channel.shutdownNow();
        beats.shutdownNow();
    }
}
