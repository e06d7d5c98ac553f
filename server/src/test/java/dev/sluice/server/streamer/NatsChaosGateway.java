package dev.sluice.server.streamer;

import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

final class NatsChaosGateway {
    private NatsChaosGateway() {}

    static void start(String url, String id, ChaosReceiver receiver) throws Exception {
        Connection nats = Nats.connectReconnectOnConnect(Options.builder()
                .server(url)
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(200))
                .build());
        nats.createDispatcher(message -> Thread.startVirtualThread(() -> answer(nats, message, receiver)))
                .subscribe("sluice.streamer.events." + id);
    }

    private static void answer(Connection nats, Message message, ChaosReceiver receiver) {
        List<Received> batch = DeliveryJson.read(new String(message.getData(), StandardCharsets.UTF_8));
        GatewayAnswer answer = receiver.take(batch);
        String said = switch (answer) {
            case GatewayAnswer.Taken taken -> DeliveryJson.acknowledgement(batch.size(), taken);
            case GatewayAnswer.Away away -> "{\"retry\":\"" + away.status() + "\"}";
            case GatewayAnswer.TooLarge tooLarge -> "{\"refused\":\"too large\"}";
            case GatewayAnswer.Stale stale -> "{\"fenced\":\"stale\"}";
            case GatewayAnswer.Silence silence -> "";
        };
        if (!said.isEmpty()) {
            nats.publish(message.getReplyTo(), said.getBytes(StandardCharsets.UTF_8));
        }
    }
}
