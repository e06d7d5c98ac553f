package dev.sluice.grpc;

import dev.sluice.deliver.Attempts;
import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Reason;
import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.StreamerServiceGrpc;
import dev.sluice.model.InvalidInputException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Calls a gateway's {@code sluice.streamer.v1.StreamerService}: one connection, a call per batch. */
public final class GrpcDeliverer implements Deliverer {
    private static final Pattern ENDPOINT =
            Pattern.compile("(?:(https?)://)?([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+]):(\\d{1,5})/?");
    private static final int HIGHEST_PORT = 65_535;
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final GrpcDelivery settings;
    private final Attempts attempts;
    private final ManagedChannel channel;
    private final Channel calls;
    private volatile long lastAnswer = System.nanoTime();

    /** @throws InvalidInputException when the gateway's endpoint is not {@code host:port}, or that behind {@code https://} */
    public GrpcDeliverer(GatewayAddress gateway, GrpcDelivery settings) {
        this.settings = settings;
        this.attempts = new Attempts(gateway.id());
        this.channel = channel(gateway.endpoint(), settings);
        this.calls = authorized(channel, settings);
    }

    /** Calls that show the token, where there is one. */
    static Channel authorized(ManagedChannel channel, GrpcDelivery settings) {
        return settings.token() == null
                ? channel
                : ClientInterceptors.intercept(
                        channel, MetadataUtils.newAttachHeadersInterceptor(bearer(settings.token())));
    }

    static ManagedChannel channel(String endpoint, GrpcDelivery settings) {
        Matcher parts = ENDPOINT.matcher(endpoint);
        if (!parts.matches() || Integer.parseInt(parts.group(3)) > HIGHEST_PORT) {
            throw new InvalidInputException("the endpoint " + InvalidInputException.quote(endpoint)
                    + " of a gRPC gateway is not like host:port or https://host:port");
        }
        ChannelCredentials how = "https".equals(parts.group(1)) ? settings.tls() : InsecureChannelCredentials.create();
        return Grpc.newChannelBuilder("dns:///" + parts.group(2) + ':' + parts.group(3), how)
                .disableRetry()
                .build();
    }

    private static Metadata bearer(String token) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + token);
        return headers;
    }

    @Override
    public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
        long began = System.nanoTime();
        return attempts.begin(() -> attempt(batch, began));
    }

    private BatchOutcome attempt(DeliveryBatch batch, long began) {
        EventBatch message;
        try {
            message = DeliveryMessage.of(batch);
        } catch (RuntimeException unwritable) {
            return new BatchOutcome.Refused("cannot be written as JSON: " + Reason.of(unwritable));
        }
        long left = settings.timeout().toNanos() - (System.nanoTime() - began);
        try {
            DeliveryAck ack = ClientCalls.blockingUnaryCall(
                    calls,
                    StreamerServiceGrpc.getDeliverEventsMethod(),
                    CallOptions.DEFAULT.withDeadlineAfter(left, TimeUnit.NANOSECONDS),
                    message);
            lastAnswer = System.nanoTime();
            return GrpcAnswer.read(ack, batch.deliveries().size());
        } catch (StatusRuntimeException status) {
            startAnewAfter(status.getStatus(), began);
            return GrpcAnswer.read(status);
        }
    }

    /**
     * The next attempt connects at once, instead of when gRPC's own pause is over, which grows to minutes: the lane paces
     * attempts. And it leaves a connection behind that says nothing any more. Calls under way go on where they are.
     */
    private void startAnewAfter(Status status, long began) {
        boolean silent = status.getCode() == Status.Code.DEADLINE_EXCEEDED && lastAnswer - began < 0;
        // Not only when it says that connecting has failed: it says so after the call has heard of it.
        if (silent || channel.getState(false) != ConnectivityState.READY) {
            channel.enterIdle();
        }
    }

    @Override
    public void close() {
        attempts.close();
        channel.shutdownNow();
    }
}
