package dev.sluice.grpc;

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
import dev.sluice.testkit.servers.SelfSigned;
import io.grpc.InsecureServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrpcDelivererTest extends AnsweredDelivererContract {
    private static final int MAX_BYTES = 64 << 20;

    @Override
    protected AnsweringGateway newGateway() throws IOException {
        return new GrpcTestGateway(InsecureServerCredentials.create(), false, MAX_BYTES);
    }

    @Override
    protected Deliverer newDeliverer(GatewayAddress gateway, Duration timeout) {
        return new GrpcDeliverer(gateway, GrpcDelivery.of(timeout));
    }

    @Override
    protected List<GatewayAddress> nonsense() {
        return Stream.of("somewhere", "localhost:99999", ":50052", "ftp://localhost:1", "a b:1", "unix:///socket")
                .map(endpoint -> new GatewayAddress("gw", Protocol.GRPC, endpoint))
                .toList();
    }

    @Test
    void aMessageLargerThanTheGatewayAllowsIsRefusedSoThatItIsHalved() throws Exception {
        var gateway = opened(new GrpcTestGateway(InsecureServerCredentials.create(), false, 100_000));
        Deliverer deliverer = to(gateway, PATIENT);
        assertThat(outcome(
                        deliverer,
                        new DeliveryBatch(
                                gateway.address().id(), List.of(delivery(1, "a", 60_000), delivery(2, "b", 60_000)))))
                .isInstanceOf(BatchOutcome.Refused.class);
        assertThat(outcome(deliverer, new DeliveryBatch(gateway.address().id(), List.of(delivery(1, "a", 60_000)))))
                .isEqualTo(BatchOutcome.DELIVERED);
    }

    @Test
    void aConnectionThatSaysNothingIsLeft() throws Exception {
        var gateway = opened(new GrpcTestGateway(InsecureServerCredentials.create(), false, MAX_BYTES));
        Deliverer deliverer = to(gateway, SHORT);
        deliverAtLast(deliverer, batch(gateway, 1, 2));
        gateway.hang();
        assertThat(outcome(deliverer, batch(gateway, 2, 3))).isInstanceOf(BatchOutcome.RetryLater.class);
        gateway.goOn();
        deliverAtLast(deliverer, batch(gateway, 3, 4));
        assertThat(gateway.connections()).isEqualTo(2);
    }

    @Test
    void allBatchesTakeOneConnectionAlsoOverTls(@TempDir Path keys) throws Exception {
        SelfSigned pair = SelfSigned.make(keys, "gateway");
        var gateway = opened(new GrpcTestGateway(
                TlsServerCredentials.create(
                        pair.certificate().toFile(), pair.key().toFile()),
                true,
                MAX_BYTES));
        var trust = TlsChannelCredentials.newBuilder()
                .trustManager(pair.certificate().toFile())
                .build();
        Deliverer deliverer = opened(new GrpcDeliverer(gateway.address(), new GrpcDelivery(PATIENT, trust, "secret")));
        var all = Stream.iterate(0, n -> n < 100, n -> n + 1)
                .map(n -> deliver(deliverer, batch(gateway, n, n + 1)))
                .toList();
        for (var each : all) {
            assertThat(each.get()).isEqualTo(BatchOutcome.DELIVERED);
        }
        assertThat(gateway.connections()).isEqualTo(1);
        Deliverer distrustful = to(gateway, PATIENT);
        assertThat(outcome(distrustful, batch(gateway, 1, 2))).isInstanceOf(BatchOutcome.RetryLater.class);
    }
}
