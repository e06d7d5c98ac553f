package dev.sluice.server.streamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.http.HttpDeliverer;
import dev.sluice.http.HttpDelivery;
import dev.sluice.kafka.KafkaDeliverer;
import dev.sluice.kafka.KafkaDelivery;
import dev.sluice.nats.NatsDeliverer;
import dev.sluice.nats.NatsDelivery;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which receivers take what a replaced owner sends, as lanes hear it of the deliverers they are given. */
class UnfencedReceiversTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static Duration unfencedFor(Deliverer inner) {
        try (var measured = new MeasuredDeliverer(inner, new SimpleMeterRegistry().timer("latency"))) {
            return measured.unfencedFor();
        }
    }

    private static Deliverer nats(NatsDelivery.Mode mode) {
        return new NatsDeliverer(
                new GatewayAddress("g", Protocol.NATS, "nats://127.0.0.1:1"), NatsDelivery.of(mode, TIMEOUT));
    }

    @Test
    void kafkaAndJetStreamTakeWhatAReplacedOwnerSends() {
        var topics = new GatewayAddress("g", Protocol.KAFKA, "127.0.0.1:1/changes.{collection}");
        assertThat(unfencedFor(new KafkaDeliverer(topics, KafkaDelivery.of(TIMEOUT))))
                .isEqualTo(TIMEOUT);
        assertThat(unfencedFor(nats(NatsDelivery.Mode.JETSTREAM))).isEqualTo(TIMEOUT);
    }

    @Test
    void gatewaysThatAnswerRefuseIt() {
        var server = new GatewayAddress("g", Protocol.HTTP, "http://127.0.0.1:1");
        assertThat(unfencedFor(new HttpDeliverer(server, new HttpDelivery("node", TIMEOUT, null, null))))
                .isZero();
        assertThat(unfencedFor(nats(NatsDelivery.Mode.REQUEST))).isZero();
    }
}
