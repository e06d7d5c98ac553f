package dev.sluice.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthGrpc;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Lets in who knows the token. Health may be asked by anybody: orchestrators have no token. */
public final class TokenCheck implements ServerInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final byte[] expected;

    public TokenCheck(String token) {
        this.expected = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String shown = headers.get(AUTHORIZATION);
        boolean open = HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName());
        if (open || (shown != null && MessageDigest.isEqual(expected, shown.getBytes(StandardCharsets.UTF_8)))) {
            return next.startCall(call, headers);
        }
        call.close(
                Status.UNAUTHENTICATED.withDescription("Send the configured token as 'authorization: Bearer …'."),
                new Metadata());
        return new ServerCall.Listener<>() {};
    }
}
