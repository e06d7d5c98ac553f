package dev.sluice.bench;

import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.web.GatewayServer;
import dev.sluice.gateway.web.WebLimits;
import dev.sluice.gateway.web.WebOptions;
import dev.sluice.net.ListenAddress;
import java.time.Duration;

/** The gateway of {@code sluice run --role gateway} with its defaults; its limits admit twice as many clients as the crowd has. */
final class SluiceGateway implements EndUserServer {
    private final GatewayServer server;

    SluiceGateway(String streamer, int clients, Duration ping) {
        WebLimits usual = WebLimits.DEFAULT;
        server = GatewayServer.start(
                Gateway.builder("bench").streamer(streamer),
                WebOptions.DEFAULT
                        .at(ListenAddress.loopback(0))
                        .within(new WebLimits(
                                3 * clients,
                                3 * clients,
                                usual.subscriptionsPerConnection(),
                                usual.messageBytes(),
                                usual.queuedMessages(),
                                usual.queuedBytes(),
                                usual.queuedBytesInAll(),
                                ping)));
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public int connections() {
        return server.connections();
    }

    @Override
    public void close() {
        server.close();
    }
}
