package dev.sluice.server.cli;

import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS of a client from PEM files. */
final class PemTls {
    private static final char[] NO_PASSWORD = {};

    private PemTls() {}

    /**
     * @param ca the only ones to trust; empty: whom the machine trusts
     * @throws IllegalStateException when a file cannot be used; the message says which
     */
    static SSLContext context(Optional<Path> ca, Optional<Path> certificate, Optional<Path> key) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(certificate, key), trust(ca), null);
            return context;
        } catch (GeneralSecurityException | IOException | RuntimeException unusable) {
            throw new IllegalStateException(
                    "--ca, --cert or --key cannot be used as PEM: " + unusable.getMessage(), unusable);
        }
    }

    private static TrustManager @Nullable [] trust(Optional<Path> ca) throws GeneralSecurityException, IOException {
        if (ca.isEmpty()) {
            return null;
        }
        KeyStore anchors = empty();
        for (X509Certificate each : Keys.builder()
                .pem(pem -> pem.certificates(Resource.create(ca.get())))
                .build()
                .certs()) {
            anchors.setCertificateEntry("anchor-" + anchors.size(), each);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(anchors);
        return factory.getTrustManagers();
    }

    private static KeyManager @Nullable [] keys(Optional<Path> certificate, Optional<Path> key)
            throws GeneralSecurityException, IOException {
        if (certificate.isEmpty() || key.isEmpty()) {
            return null;
        }
        Keys own = Keys.builder()
                .pem(pem -> pem.certChain(Resource.create(certificate.get())).key(Resource.create(key.get())))
                .build();
        KeyStore store = empty();
        store.setKeyEntry(
                "own",
                own.privateKey().orElseThrow(),
                NO_PASSWORD,
                own.certChain().toArray(X509Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }
}
