package dev.sluice.server.streamer;

import dev.sluice.server.config.SecurityConfig;
import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Whom this node believes when it calls others by TLS: with a CA of its own that one, and it shows its own certificate;
 * else whom the machine believes.
 *
 * @param context null: the machine's own
 */
record OwnTrust(@Nullable SSLContext context, ChannelCredentials credentials) {
    static OwnTrust of(SecurityConfig.Tls tls) {
        var ca = tls.ca().orElse(null);
        var certificate = tls.certificate().orElse(null);
        var key = tls.key().orElse(null);
        if (ca == null || certificate == null || key == null) {
            return new OwnTrust(null, TlsChannelCredentials.create());
        }
        var own = Keys.builder()
                .pem(pem -> pem.certChain(Resource.create(certificate)).key(Resource.create(key)))
                .build();
        var trusted =
                Keys.builder().pem(pem -> pem.certificates(Resource.create(ca))).build();
        var context = Tls.builder()
                .privateKey(own)
                .privateKeyCertChain(own)
                .trust(trusted)
                .build()
                .sslContext();
        try {
            var credentials = TlsChannelCredentials.newBuilder()
                    .trustManager(ca.toFile())
                    .keyManager(certificate.toFile(), key.toFile())
                    .build();
            return new OwnTrust(context, credentials);
        } catch (IOException unreadable) {
            throw new UncheckedIOException("security.tls names a file that cannot be read", unreadable);
        }
    }
}
