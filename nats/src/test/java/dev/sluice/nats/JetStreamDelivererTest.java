package dev.sluice.nats;

import static dev.sluice.testkit.contract.SampleDeliveries.batch;
import static dev.sluice.testkit.contract.SampleDeliveries.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.DelivererContract;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.contract.TestGateway;
import dev.sluice.testkit.servers.NatsServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract over JetStream's acknowledgements. */
class JetStreamDelivererTest extends DelivererContract {
    @Override
    protected TestGateway newGateway() throws Exception {
        return new StreamTestGateway(NatsServer.shared());
    }

    @Override
    protected Deliverer newDeliverer(GatewayAddress gateway, Duration timeout) {
        return new NatsDeliverer(gateway, NatsDelivery.of(NatsDelivery.Mode.JETSTREAM, timeout));
    }

    @Override
    protected List<GatewayAddress> nonsense() {
        return List.of(new GatewayAddress("a.b", Protocol.NATS, "nats://127.0.0.1:4222"));
    }

    /** A server takes messages up to its {@code max_payload}: an event above it never arrives, the others do. */
    @Override
    @Test
    protected void aDocumentOf16MegabytesArrives() throws Exception {
        TestGateway gateway = gateway();
        DeliveryBatch batch = new DeliveryBatch(
                gateway.address().id(),
                List.of(delivery(1), delivery(2, "huge", 16 << 20), delivery(3, "large", 1_000_000)));
        assertThat(outcome(to(gateway, PATIENT), batch))
                .isInstanceOfSatisfying(
                        BatchOutcome.PerEvent.class,
                        some -> assertThat(some.outcomes())
                                .hasExactlyElementsOfTypes(
                                        EventOutcome.Delivered.class,
                                        EventOutcome.Rejected.class,
                                        EventOutcome.Delivered.class));
        assertThat(gateway.received()).extracting(Received::seq).containsExactly(1L, 3L);
    }

    @Test
    void anAttemptWithoutAnAnswerAndItsRetryAreStoredOnce() throws Exception {
        TestGateway gateway = gateway();
        Deliverer deliverer = to(gateway, SHORT);
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        gateway.hang();
        assertThat(outcome(deliverer, batch(gateway, 2, 5))).isInstanceOf(BatchOutcome.RetryLater.class);
        gateway.goOn();
        deliverAtLast(deliverer, batch(gateway, 2, 5));
        assertThat(gateway.received()).extracting(Received::seq).containsExactly(1L, 2L, 3L, 4L);
    }
}
