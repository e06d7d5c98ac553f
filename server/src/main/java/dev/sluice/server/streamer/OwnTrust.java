package dev.sluice.server.streamer;

import dev.sluice.server.config.SecurityConfig;
import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Whom this node believes when it calls Pullers and gateways by TLS: whom the machine believes, the CA of its configuration,
 * and its own certificate, which a deployment may share. It shows that certificate to whoever asks.
 *
 * @param context null: the machine's own
 */
public record OwnTrust(@Nullable SSLContext context, ChannelCredentials credentials) {
    private static final char[] NO_PASSWORD = {};

    public static OwnTrust of(SecurityConfig.Tls tls) {
        var certificate = tls.certificate().orElse(null);
        var key = tls.key().orElse(null);
        if (certificate == null || key == null) {
            return new OwnTrust(null, TlsChannelCredentials.create());
        }
        try {
            var own = Keys.builder()
                    .pem(pem -> pem.certChain(Resource.create(certificate)).key(Resource.create(key)))
                    .build();
            var keys = keys(own);
            var trust =
                    trust(own.certChain(), tls.ca().map(OwnTrust::certificates).orElse(List.of()));
            var context = SSLContext.getInstance("TLS");
            context.init(keys, trust, null);
            var credentials = TlsChannelCredentials.newBuilder()
                    .keyManager(keys)
                    .trustManager(trust)
                    .build();
            return new OwnTrust(context, credentials);
        } catch (GeneralSecurityException | IOException unusable) {
            throw new IllegalStateException("security.tls names a certificate or key that cannot be used", unusable);
        }
    }

    private static List<X509Certificate> certificates(Path pem) {
        return Keys.builder()
                .pem(source -> source.certificates(Resource.create(pem)))
                .build()
                .certs();
    }

    private static KeyManager[] keys(Keys own) throws GeneralSecurityException, IOException {
        var store = empty();
        var chain = own.certChain().toArray(X509Certificate[]::new);
        store.setKeyEntry("own", own.privateKey().orElseThrow(), NO_PASSWORD, chain);
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static TrustManager[] trust(List<X509Certificate> own, List<X509Certificate> ca)
            throws GeneralSecurityException, IOException {
        var usual = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        usual.init((KeyStore) null);
        var anchors = new ArrayList<X509Certificate>();
        Stream.of(usual.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .forEach(machine -> anchors.addAll(Arrays.asList(((X509TrustManager) machine).getAcceptedIssuers())));
        anchors.addAll(own);
        anchors.addAll(ca);
        var store = empty();
        for (var anchor : anchors) {
            store.setCertificateEntry("anchor-" + store.size(), anchor);
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }
}
