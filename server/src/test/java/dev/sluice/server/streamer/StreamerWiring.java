package dev.sluice.server.streamer;

import dev.sluice.server.config.SluiceConfig;
import java.util.List;

/** What the Streamer's components are made with. */
public final class StreamerWiring {
    private StreamerWiring() {}

    public static List<Object> of(SluiceConfig config) {
        var routing = config.routing();
        return List.of(
                config.streamerDirectory(),
                PartSettings.streamer(config),
                PartSettings.group(config),
                PartSettings.quotas(routing),
                PartSettings.leases(config),
                PartSettings.usualProtocol(routing),
                PartSettings.mirror(config),
                PartSettings.servable(routing),
                PartSettings.homes(routing),
                PartSettings.pullers(config),
                PartSettings.silence(config),
                new DeliverersByProtocol(PartSettings.node(config), routing.delivery(), config.security()));
    }
}
