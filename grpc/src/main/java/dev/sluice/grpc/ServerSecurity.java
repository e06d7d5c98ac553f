package dev.sluice.grpc;

import dev.sluice.net.Protection;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What stands between the gRPC server and a stranger.
 *
 * @param certificate chain in PEM; null without TLS
 * @param key of the certificate, in PEM
 * @param clientCa whose certificates clients must show (mutual TLS); null if they need none
 * @param token that clients send as {@code authorization: Bearer …}; null if they need none
 * @param insecure somebody wrote {@code insecure: true}
 */
public record ServerSecurity(
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path clientCa,
        @Nullable String token,
        boolean insecure) {
    /** Enough for loopback. */
    public static final ServerSecurity NONE = new ServerSecurity(null, null, null, null, false);

    public ServerSecurity {
        if ((certificate == null) != (key == null) || (clientCa != null && certificate == null)) {
            throw new IllegalArgumentException(
                    "TLS needs a certificate and its key; a client CA needs both: configure what is missing");
        }
    }

    public Protection protection() {
        return new Protection(certificate != null, clientCa != null || token != null, insecure);
    }

    public ServerCredentials credentials() throws IOException {
        if (certificate == null || key == null) {
            return InsecureServerCredentials.create();
        }
        TlsServerCredentials.Builder tls =
                TlsServerCredentials.newBuilder().keyManager(certificate.toFile(), key.toFile());
        if (clientCa != null) {
            tls.trustManager(clientCa.toFile()).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
        }
        return tls.build();
    }
}
