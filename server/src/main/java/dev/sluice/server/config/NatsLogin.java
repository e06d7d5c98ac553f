package dev.sluice.server.config;

import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import java.nio.file.Path;
import java.util.Optional;

/** A login at NATS: a user with a password, a token, or a credentials file; at most one of them. */
final class NatsLogin {
    private NatsLogin() {}

    static Rules rules(
            Optional<String> user, Optional<Secret> password, Optional<Secret> token, Optional<Path> credentials) {
        return new Rules()
                .require(user.isPresent() || password.isEmpty(), "needs user beside it", "password", "user")
                .require(password.isPresent() || user.isEmpty(), "needs password beside it", "user", "password")
                .require(
                        token.isEmpty() || user.isEmpty(),
                        "cannot be combined with user; keep what your NATS servers ask for",
                        "token",
                        "user")
                .require(
                        credentials.isEmpty() || user.isEmpty() && token.isEmpty(),
                        "cannot be combined with user or token; keep what your NATS servers ask for",
                        "credentials",
                        "user",
                        "token");
    }
}
