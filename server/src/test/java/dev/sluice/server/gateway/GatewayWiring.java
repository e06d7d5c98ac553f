package dev.sluice.server.gateway;

import dev.sluice.server.config.SluiceConfig;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;

/** What the gateway server is made with. */
public final class GatewayWiring {
    private GatewayWiring() {}

    public static List<Object> of(SluiceConfig config) throws IOException {
        return List.of(GatewayRole.gateway(config, OptionalInt.empty()), GatewayRole.web(config));
    }
}
