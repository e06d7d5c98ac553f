package dev.sluice.nats;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How gateways are reached over NATS. The servers are those of the gateway's endpoint; as whom to come there is the same
 * for all of them, with the meanings of {@link NatsAccess}.
 *
 * @param timeout of an attempt, the connection included
 */
public record NatsDelivery(
        Duration timeout,
        Mode mode,
        @Nullable String user,
        @Nullable String password,
        @Nullable String token,
        @Nullable Path credentials,
        @Nullable SSLContext tls) {
    /** What counts as delivered. */
    public enum Mode {
        /** The gateway's reply: it can say no to single events. */
        REQUEST,
        /** JetStream has stored it, in a stream that takes the gateway's subject; it cannot say no. */
        JETSTREAM
    }

    public NatsDelivery {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("A delivery needs a timeout above zero.");
        }
    }

    /** Without user or certificate. */
    public static NatsDelivery of(Mode mode, Duration timeout) {
        return new NatsDelivery(timeout, mode, null, null, null, null, null);
    }

    NatsAccess at(String endpoint) {
        return new NatsAccess(List.of(endpoint.split(",")), user, password, token, credentials, tls);
    }

    /** Without what is secret. */
    @Override
    public String toString() {
        return "NatsDelivery[" + mode + ", " + timeout + ']';
    }
}
