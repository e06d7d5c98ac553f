package dev.sluice.grpc;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How gateways are reached over gRPC.
 *
 * @param timeout of an attempt, the connection included
 * @param tls for gateways whose endpoint begins with {@code https://}
 * @param token sent as {@code authorization: Bearer …}, to every gateway alike and also in cleartext, so gateways on other
 *     machines want {@code https}; null for none
 */
public record GrpcDelivery(
        Duration timeout, ChannelCredentials tls, @Nullable String token) {
    public GrpcDelivery {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("A delivery needs a timeout above zero.");
        }
    }

    /** Without a token, and with the JDK's own trust. */
    public static GrpcDelivery of(Duration timeout) {
        return new GrpcDelivery(timeout, TlsChannelCredentials.create(), null);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "GrpcDelivery[" + timeout + ']';
    }
}
