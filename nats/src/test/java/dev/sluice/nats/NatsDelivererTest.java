package dev.sluice.nats;

import static dev.sluice.testkit.contract.SampleDeliveries.batch;
import static dev.sluice.testkit.contract.SampleDeliveries.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.AnsweredDelivererContract;
import dev.sluice.testkit.contract.AnsweringGateway;
import dev.sluice.testkit.servers.NatsServer;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract over request and reply. */
@Execution(ExecutionMode.SAME_THREAD)
class NatsDelivererTest extends AnsweredDelivererContract {
    @Override
    protected AnsweringGateway newGateway() throws Exception {
        return new NatsTestGateway(NatsServer.shared());
    }

    @Override
    protected Deliverer newDeliverer(GatewayAddress gateway, Duration timeout) {
        return new NatsDeliverer(gateway, NatsDelivery.of(NatsDelivery.Mode.REQUEST, timeout));
    }

    @Override
    protected List<GatewayAddress> nonsense() {
        return Stream.concat(
                        Stream.of("nats://a b", ",", "nats://a,", "http://a:4222", "nats://a:port")
                                .map(endpoint -> address("gw", endpoint)),
                        Stream.of("a.b", "*", ">", "a b", "ü", "a\u2028")
                                .map(id -> address(id, "nats://127.0.0.1:4222")))
                .toList();
    }

    private static GatewayAddress address(String id, String endpoint) {
        return new GatewayAddress(id, Protocol.NATS, endpoint);
    }

    /** A server takes messages up to its {@code max_payload}, 1 MiB as it comes: what is above is halved by the lane. */
    @Override
    @Test
    protected void aDocumentOf16MegabytesArrives() throws Exception {
        AnsweringGateway gateway = answering();
        Deliverer deliverer = to(gateway, PATIENT);
        assertThat(outcome(deliverer, new DeliveryBatch(gateway.address().id(), List.of(delivery(1, "a", 16 << 20)))))
                .isInstanceOf(BatchOutcome.Refused.class);
        assertThat(outcome(deliverer, new DeliveryBatch(gateway.address().id(), List.of(delivery(2, "b", 1_000_000)))))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(gateway.received()).hasSize(1);
    }

    @Test
    void whenNobodyListensItEndsAtOnce() throws Exception {
        AnsweringGateway gateway = answering();
        gateway.vanish();
        assertThat(outcome(to(gateway, Duration.ofHours(1)), batch(gateway, 1, 2)))
                .isInstanceOfSatisfying(
                        BatchOutcome.RetryLater.class,
                        later -> assertThat(later.reason())
                                .isEqualTo("nobody listens on sluice.streamer.events."
                                        + gateway.address().id()));
    }

    /** No other attempt connects while one does: its end must be told, whatever it is. */
    @Test
    void anErrorWhileConnectingEndsTheAttemptWithItsReason() throws Exception {
        Path broken = (Path) Proxy.newProxyInstance(
                Path.class.getClassLoader(), new Class<?>[] {Path.class}, (path, method, arguments) -> {
                    throw new NoClassDefFoundError("dev/sluice/Gone");
                });
        GatewayAddress gateway = address("gw", NatsServer.shared().url());
        Deliverer deliverer = opened(new NatsDeliverer(
                gateway, new NatsDelivery(SHORT, NatsDelivery.Mode.REQUEST, null, null, null, broken, null)));
        assertThat(outcome(deliverer, new DeliveryBatch("gw", List.of(delivery(1)))))
                .isInstanceOfSatisfying(
                        BatchOutcome.RetryLater.class,
                        later -> assertThat(later.reason())
                                .isEqualTo("cannot reach NATS: NoClassDefFoundError: dev/sluice/Gone"));
    }

    @Test
    void closingDoesNotWaitForAServerThatSaysNothing() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            Deliverer deliverer =
                    opened(newDeliverer(address("gw", "nats://127.0.0.1:" + silent.getLocalPort()), PATIENT));
            CompletableFuture<BatchOutcome> underWay =
                    deliver(deliverer, new DeliveryBatch("gw", List.of(delivery(1))));
            try (Socket connecting = silent.accept()) {
                Thread closing = Thread.ofVirtual().start(deliverer::close);
                assertThat(closing.join(PATIENT.dividedBy(4))).as("closed").isTrue();
                assertThat(connecting.isClosed()).isFalse();
                assertTriedLater(underWay.get(0, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    void aServerThatIsGoneIsTriedLaterAndFoundAgain() throws Exception {
        NatsTestGateway gateway = opened(new NatsTestGateway(NatsServer.shared()));
        Deliverer deliverer = to(gateway, SHORT);
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        gateway.cut();
        assertThat(outcome(deliverer, batch(gateway, 2, 3))).isInstanceOf(BatchOutcome.RetryLater.class);
        gateway.heal();
        deliverAtLast(deliverer, batch(gateway, 3, 4));
    }
}
