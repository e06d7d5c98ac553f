package dev.sluice.server.streamer;

import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.grpc.GrpcDeliverer;
import dev.sluice.grpc.GrpcDelivery;
import dev.sluice.http.HttpDeliverer;
import dev.sluice.http.HttpDelivery;
import dev.sluice.kafka.KafkaDeliverer;
import dev.sluice.kafka.KafkaDelivery;
import dev.sluice.model.InvalidInputException;
import dev.sluice.nats.NatsDeliverer;
import dev.sluice.nats.NatsDelivery;
import dev.sluice.server.config.RoutingConfig;
import dev.sluice.server.config.SecurityConfig;
import dev.sluice.server.config.yaml.Secret;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** Every protocol a gateway can register with. Gateways are of this deployment: they are shown its token, and trusted by its CA. */
final class DeliverersByProtocol implements Deliverers {
    private final HttpDelivery http;
    private final GrpcDelivery grpc;
    private final NatsDelivery nats;
    private final KafkaDelivery kafka;

    /** @param node this node's name, for the gateways' logs */
    DeliverersByProtocol(String node, RoutingConfig.Delivery delivery, SecurityConfig security) {
        var timeout = delivery.timeout();
        var trust = OwnTrust.of(security.tls());
        var token = security.token().map(Secret::reveal).orElse(null);
        this.http = new HttpDelivery(node, timeout, trust.context(), token);
        this.grpc = new GrpcDelivery(timeout, trust.credentials(), token);
        this.nats = nats(delivery.nats(), timeout, trust);
        this.kafka = new KafkaDelivery(timeout, revealed(delivery.kafka().properties()));
    }

    private static NatsDelivery nats(RoutingConfig.Nats nats, Duration timeout, OwnTrust trust) {
        return new NatsDelivery(
                timeout,
                switch (nats.mode()) {
                    case REQUEST -> NatsDelivery.Mode.REQUEST;
                    case JETSTREAM -> NatsDelivery.Mode.JETSTREAM;
                },
                nats.user().orElse(null),
                nats.password().map(Secret::reveal).orElse(null),
                nats.token().map(Secret::reveal).orElse(null),
                nats.credentials().orElse(null),
                trust.context());
    }

    private static Map<String, Object> revealed(Map<String, Secret> properties) {
        return properties.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().reveal()));
    }

    @Override
    public Deliverer to(GatewayAddress gateway) {
        return switch (gateway.protocol()) {
            case HTTP -> new HttpDeliverer(gateway, http);
            case GRPC -> new GrpcDeliverer(gateway, grpc);
            case NATS -> new NatsDeliverer(gateway, nats);
            case KAFKA -> new KafkaDeliverer(gateway, kafka);
        };
    }

    /**
     * Connects nowhere.
     *
     * @throws InvalidInputException when nothing could be delivered there, saying what to write instead
     */
    void check(GatewayAddress gateway) {
        to(gateway).close();
    }
}
