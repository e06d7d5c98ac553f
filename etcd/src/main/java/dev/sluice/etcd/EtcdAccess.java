package dev.sluice.etcd;

import dev.sluice.model.InvalidInputException;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Where etcd is and as whom to come.
 *
 * @param endpoints such as {@code http://127.0.0.1:2379}, or all of them {@code https://…} with TLS
 * @param user with its password, or neither
 * @param authorities certificates (PEM) of those who may vouch for the servers; null for the JDK's own
 * @param certificate of this client (PEM), with its key, or neither
 */
public record EtcdAccess(
        List<String> endpoints,
        @Nullable String user,
        @Nullable String password,
        @Nullable Path authorities,
        @Nullable Path certificate,
        @Nullable Path key) {
    public EtcdAccess {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty()) {
            throw new InvalidInputException("etcd has no endpoints: name at least one");
        }
        if (endpoints.stream().anyMatch(EtcdAccess::isEncrypted)
                && !endpoints.stream().allMatch(EtcdAccess::isEncrypted)) {
            throw new InvalidInputException(
                    "etcd's endpoints mix http:// and https://, so a password could go out in the clear: write the same"
                            + " for all");
        }
        if ((user == null) != (password == null)) {
            throw new InvalidInputException("etcd takes a user with a password, or neither");
        }
        if ((certificate == null) != (key == null)) {
            throw new InvalidInputException("etcd takes a client's certificate with its key, or neither");
        }
    }

    /** Without user or certificate. */
    public static EtcdAccess to(String... endpoints) {
        return new EtcdAccess(List.of(endpoints), null, null, null, null, null);
    }

    public EtcdAccess as(String user, String password) {
        return new EtcdAccess(endpoints, user, password, authorities, certificate, key);
    }

    /** A client to be set up further, with the endpoints in this order. */
    ClientBuilder client(List<String> inOrder) {
        ClientBuilder builder = Client.builder().endpoints(inOrder.toArray(String[]::new));
        if (user != null && password != null) {
            builder.user(bytes(user)).password(bytes(password));
        }
        if (endpoints.stream().allMatch(EtcdAccess::isEncrypted)) {
            try {
                builder.sslContext(this::secure);
            } catch (SSLException e) {
                throw new InvalidInputException("the certificates for etcd cannot be used: " + e.getMessage());
            }
        }
        return builder;
    }

    private static boolean isEncrypted(String endpoint) {
        return endpoint.regionMatches(true, 0, "https:", 0, "https:".length());
    }

    private void secure(SslContextBuilder tls) {
        if (authorities != null) {
            tls.trustManager(authorities.toFile());
        }
        if (certificate != null && key != null) {
            tls.keyManager(certificate.toFile(), key.toFile());
        }
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return String.join(",", endpoints);
    }
}
