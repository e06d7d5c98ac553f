package dev.sluice.grpc;

import static dev.sluice.grpc.TestControlPlane.subscription;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.streamer.v1.GatewayHeartbeatRequest;
import dev.sluice.grpc.streamer.v1.ListRequest;
import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.grpc.streamer.v1.RegisterRequest;
import dev.sluice.grpc.streamer.v1.RenewRequest;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc;
import dev.sluice.grpc.streamer.v1.SubscriptionServiceGrpc.SubscriptionServiceBlockingStub;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.testkit.contract.HostileFilters;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever calls with bad intent is refused clearly, and the others do not notice. */
@Timeout(60)
class HostileCallersTest {
    @Test
    void hostileFiltersAreRefusedInASentenceWhileOthersRegisterAndRenew() throws IOException {
        try (TestControlPlane plane = new TestControlPlane()) {
            SubscriptionServiceBlockingStub hostile = plane.client();
            SubscriptionServiceBlockingStub good = plane.client();
            HostileFilters filters = new HostileFilters(11);
            int refused = 0;
            for (int k = 0; k < 500; k++) {
                refused += isRefused(hostile, filters.next()) ? 1 : 0;
                if (k % 10 == 0) {
                    good.register(request("good-" + k, "{\"a\":" + k + "}"));
                    assertThat(good.renew(RenewRequest.newBuilder()
                                            .addIds("good-" + k)
                                            .build())
                                    .getUnknownList())
                            .isEmpty();
                }
            }
            assertThat(refused).isBetween(250, 499);
            assertThat(plane.subscriptions.ofGateway("g")).hasSizeGreaterThanOrEqualTo(50);
        }
    }

    private static boolean isRefused(SubscriptionServiceBlockingStub stub, String filter) {
        try {
            stub.register(request("hostile", filter));
            return false;
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(e.getStatus().getDescription())
                    .contains("subscription 0 \"hostile\": ")
                    .hasSizeLessThan(400);
            return true;
        }
    }

    private static RegisterRequest request(String id, String filter) {
        return RegisterRequest.newBuilder()
                .addSubscriptions(subscription(id, "g", filter))
                .build();
    }

    @Test
    void callersThatNeverSendTheirRequestLoseTheirPlaceAndTheOthersComeThrough() throws Exception {
        try (TestControlPlane plane =
                new TestControlPlane(SubscriptionQuotas.DEFAULT, ServerSecurity.NONE, Duration.ofSeconds(4))) {
            List<SilentCall> silent = new ArrayList<>();
            for (int connection = 0; connection < 5; connection++) {
                ManagedChannel channel = plane.connect();
                for (int k = 0; k < 16; k++) {
                    silent.add(new SilentCall(channel));
                }
            }
            SubscriptionServiceBlockingStub good = plane.client();
            while (hasRoom(good)) {
                // The call that asked may have had the very place that a silent one was refused.
                silent.replaceAll(call -> call.ended.isDone() ? new SilentCall(call.channel) : call);
            }
            assertThat(good.gatewayHeartbeat(GatewayHeartbeatRequest.newBuilder()
                                    .setGatewayId("g")
                                    .build())
                            .getLeaseSeconds())
                    .as("heartbeats have room of their own")
                    .isPositive();
            good.renew(RenewRequest.newBuilder().addIds("x").build());
            List<Status.Code> ends = new ArrayList<>();
            for (SilentCall call : silent) {
                ends.add(call.ended.get(30, TimeUnit.SECONDS).getCode());
            }
            assertThat(ends)
                    .as("too slow, or one too many")
                    .containsOnly(Status.Code.DEADLINE_EXCEEDED, Status.Code.UNAVAILABLE);
            good.register(request("good", "{}"));
            assertThat(plane.subscriptions.find("good")).isPresent();
        }
    }

    private static boolean hasRoom(SubscriptionServiceBlockingStub stub) {
        try {
            stub.list(ListRequest.getDefaultInstance());
            return true;
        } catch (StatusRuntimeException refused) {
            assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            return false;
        }
    }

    /** Opened and never spoken to: a client keeps the headers of a call of one message back until it has the message. */
    private static final class SilentCall extends ClientCall.Listener<RegisterReply> {
        private static final MethodDescriptor<RegisterRequest, RegisterReply> METHOD =
                SubscriptionServiceGrpc.getRegisterMethod().toBuilder()
                        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                        .build();

        private final ManagedChannel channel;
        private final CompletableFuture<Status> ended = new CompletableFuture<>();

        private SilentCall(ManagedChannel channel) {
            this.channel = channel;
            ClientCall<RegisterRequest, RegisterReply> call = channel.newCall(METHOD, CallOptions.DEFAULT);
            call.start(this, new Metadata());
            call.request(1);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            ended.complete(status);
        }
    }
}
