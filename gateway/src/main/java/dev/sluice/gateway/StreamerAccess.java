package dev.sluice.gateway;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the Streamer's control plane is, and as whom to come.
 *
 * @param address {@code host:port}
 * @param tls whether the connection is encrypted
 * @param trusted the certificates to trust, in PEM; null for the JDK's own
 * @param token sent as {@code authorization: Bearer …}; null for none
 */
public record StreamerAccess(
        String address,
        boolean tls,
        @Nullable Path trusted,
        @Nullable String token) {
    /** In cleartext, without a token. */
    public static StreamerAccess to(String address) {
        return new StreamerAccess(address, false, null, null);
    }

    public StreamerAccess withTls(@Nullable Path trustedCertificates) {
        return new StreamerAccess(address, true, trustedCertificates, token);
    }

    public StreamerAccess withToken(String secret) {
        return new StreamerAccess(address, tls, trusted, secret);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return address;
    }
}
