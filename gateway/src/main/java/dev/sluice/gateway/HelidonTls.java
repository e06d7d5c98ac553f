package dev.sluice.gateway;

import dev.sluice.grpc.ServerSecurity;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import io.helidon.common.tls.TlsClientAuth;
import java.util.Optional;

/** The certificates of a listener, as Helidon wants them. */
public final class HelidonTls {
    private HelidonTls() {}

    /** Empty without TLS. */
    public static Optional<Tls> of(ServerSecurity security) {
        if (security.certificate() == null || security.key() == null) {
            return Optional.empty();
        }
        Resource chain = Resource.create(security.certificate());
        Resource key = Resource.create(security.key());
        Keys own = Keys.builder().pem(pem -> pem.certChain(chain).key(key)).build();
        var tls = Tls.builder().privateKey(own).privateKeyCertChain(own);
        if (security.clientCa() != null) {
            Resource ca = Resource.create(security.clientCa());
            tls.clientAuth(TlsClientAuth.REQUIRED)
                    .trust(Keys.builder().pem(pem -> pem.certificates(ca)).build());
        }
        return Optional.of(tls.build());
    }
}
