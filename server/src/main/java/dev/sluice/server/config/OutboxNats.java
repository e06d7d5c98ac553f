package dev.sluice.server.config;

import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The NATS servers an outbox relay publishes to, and its login there; TLS by {@code tls://}, with what {@code security.tls} holds. */
public record OutboxNats(
        @Setting(
                fallback = "nats://127.0.0.1:4222",
                meaning =
                        "Its servers, `tls://…` for TLS; a JetStream stream must take the messages' topics as subjects.")
        List<ConnectionString> servers,

        @Setting(meaning = "The user, with `password`.") Optional<String> user,

        @Setting(meaning = "Its password; best as `${OUTBOX_NATS_PASSWORD}`.")
        Optional<Secret> password,

        @Setting(meaning = "A token instead of a user; best as `${OUTBOX_NATS_TOKEN}`.")
        Optional<Secret> token,

        @Setting(meaning = "A credentials file (`.creds`) instead of either.")
        Optional<Path> credentials) {

    public OutboxNats {
        NatsLogin.rules(user, password, token, credentials)
                .require(!servers.isEmpty(), "must name at least one server", "servers")
                .enforce();
    }
}
