package dev.sluice.server.config;

import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Setting;
import java.time.Duration;

/** The gateway server for end users, and patience with gateways that vanish. */
public record GatewayConfig(
        @Setting(
                fallback = "127.0.0.1:8090",
                meaning = "Where end users connect (WebSocket, SSE); `:port` means loopback.")
        ListenAddress address,

        @Setting(fallback = "30s", meaning = "A gateway that does not beat for so long is away.")
        Duration lease,

        @Setting(
                fallback = "300s",
                meaning = "How long the matches of a gateway whose lease ended are kept before failover, or the end.")
        Duration grace) {

    public GatewayConfig {
        new Rules().positive(lease, "lease").positive(grace, "grace").enforce();
    }
}
