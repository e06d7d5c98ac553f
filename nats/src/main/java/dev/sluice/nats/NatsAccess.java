package dev.sluice.nats;

import dev.sluice.model.InvalidInputException;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where NATS is and as whom to come.
 *
 * @param servers such as {@code nats://127.0.0.1:4222}, or {@code tls://…}
 * @param user with its password, or neither
 * @param token instead of a user, or null
 * @param credentials a credentials file ({@code .creds}), or null
 * @param tls how to check the servers and what to show them; null for the JDK's own trust with {@code tls://…}
 */
public record NatsAccess(
        List<String> servers,
        @Nullable String user,
        @Nullable String password,
        @Nullable String token,
        @Nullable Path credentials,
        @Nullable SSLContext tls) {
    public NatsAccess {
        servers = List.copyOf(servers);
        if (servers.isEmpty()) {
            throw new InvalidInputException("NATS has no servers: name at least one");
        }
        if ((user == null) != (password == null)) {
            throw new InvalidInputException("NATS takes a user with a password, or neither");
        }
    }

    /** Without user or certificate. */
    public static NatsAccess to(String... servers) {
        return new NatsAccess(List.of(servers), null, null, null, null, null);
    }

    public NatsAccess as(String user, String password) {
        return new NatsAccess(servers, user, password, token, credentials, tls);
    }

    public Options.Builder options() {
        Options.Builder options = Options.builder().servers(servers.toArray(String[]::new));
        if (user != null && password != null) {
            options.userInfo(user.toCharArray(), password.toCharArray());
        }
        if (token != null) {
            options.token(token.toCharArray());
        }
        if (credentials != null) {
            options.authHandler(Nats.credentials(credentials.toString()));
        }
        if (tls != null) {
            options.sslContext(tls);
        }
        return options;
    }

    /** Where the servers are, without a user or password that may be part of their addresses. */
    @Override
    public String toString() {
        return servers.stream().map(NatsAccess::withoutUser).collect(Collectors.joining(","));
    }

    static String withoutUser(String server) {
        return server.replaceFirst("^([a-z]+://)?.*@", "$1");
    }
}
