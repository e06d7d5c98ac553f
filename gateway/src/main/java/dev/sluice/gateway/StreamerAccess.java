package dev.sluice.gateway;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the Streamer's control plane is, and as whom to come.
 *
 * @param address {@code host:port}
 * @param tls whether the connection is encrypted
 * @param trusted the certificates to trust, in PEM; null for the JDK's own
 * @param certificate shown where the Streamer demands one, in PEM, with its {@code key}; null for none
 * @param token sent as {@code authorization: Bearer …}; null for none
 */
public record StreamerAccess(
        String address,
        boolean tls,
        @Nullable Path trusted,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable String token) {
    /** In cleartext, without a token. */
    public static StreamerAccess to(String address) {
        return new StreamerAccess(address, false, null, null, null, null);
    }

    public StreamerAccess withTls(@Nullable Path trustedCertificates) {
        return new StreamerAccess(address, true, trustedCertificates, certificate, key, token);
    }

    /** Shows this to a Streamer that demands certificates of its clients. */
    public StreamerAccess withCertificate(Path own, Path ownKey) {
        return new StreamerAccess(address, tls, trusted, own, ownKey, token);
    }

    public StreamerAccess withToken(String secret) {
        return new StreamerAccess(address, tls, trusted, certificate, key, secret);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return address;
    }
}
