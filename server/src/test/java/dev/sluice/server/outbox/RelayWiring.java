package dev.sluice.server.outbox;

import dev.sluice.server.config.SluiceConfig;
import java.util.List;
import java.util.Optional;

/** What an outbox relay is made with. */
public final class RelayWiring {
    private RelayWiring() {}

    public static List<Object> of(SluiceConfig config) {
        var outbox = config.outbox();
        var tls = config.security().tls();
        return List.of(
                RelayParts.settings(config),
                RelayParts.sink(outbox, tls),
                RelayParts.access(outbox.nats(), tls),
                Optional.ofNullable(PayloadKeys.cipher(outbox.encryption())));
    }
}
