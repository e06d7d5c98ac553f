package dev.sluice.http;

import static dev.sluice.testkit.contract.SampleDeliveries.batch;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.servers.SelfSigned;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the receiver sees of the connection: HTTP/2, once. */
@Timeout(60)
class Http2Test {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int BATCHES = 1000;
    private static final int AT_ONCE = 32;

    @TempDir
    private static Path keys;

    private static SelfSigned pair;

    @BeforeAll
    static void makeKeys() throws Exception {
        pair = SelfSigned.make(keys, "gateway");
    }

    @Test
    void aThousandBatchesInCleartextTakeOneHttp2Connection() throws Exception {
        try (var gateway = new HttpTestGateway(Optional.empty());
                var deliverer = new HttpDeliverer(gateway.address(), HttpDelivery.of("node-1", TIMEOUT))) {
            sendAll(gateway, deliverer);
            assertOneHttp2Connection(gateway);
        }
    }

    @Test
    void aThousandBatchesOverTlsTakeOneHttp2Connection() throws Exception {
        var settings = new HttpDelivery("node-1", TIMEOUT, TrustedCertificates.only(pair), "secret");
        try (var gateway = new HttpTestGateway(Optional.of(pair));
                var deliverer = new HttpDeliverer(gateway.address(), settings)) {
            sendAll(gateway, deliverer);
            assertOneHttp2Connection(gateway);
            assertThat(gateway.headers)
                    .anyMatch("X-Streamer-Node: node-1"::equalsIgnoreCase)
                    .anyMatch("X-Sluice-Gateway: gw-http"::equalsIgnoreCase)
                    .anyMatch("authorization: Bearer secret"::equalsIgnoreCase)
                    .anyMatch("content-type: application/json"::equalsIgnoreCase);
        }
    }

    @Test
    void aCertificateNobodyVouchesForIsNotTrusted() throws Exception {
        try (var gateway = new HttpTestGateway(Optional.of(pair));
                var deliverer = new HttpDeliverer(gateway.address(), HttpDelivery.of("node-1", TIMEOUT))) {
            BatchOutcome outcome = deliverer
                    .deliver(batch(gateway, 1, 2))
                    .toCompletableFuture()
                    .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            assertThat(outcome).isInstanceOf(BatchOutcome.RetryLater.class);
            assertThat(gateway.received()).isEmpty();
        }
    }

    @Test
    void afterALostConnectionThereIsOneAgainAndItIsHttp2() throws Exception {
        try (var gateway = new HttpTestGateway(Optional.empty());
                var deliverer = new HttpDeliverer(gateway.address(), HttpDelivery.of("node-1", TIMEOUT))) {
            for (int round = 0; round < 5; round++) {
                gateway.dropConnections();
                int from = round * 100;
                deliverUntilTaken(gateway, deliverer, from);
                gateway.protocols.clear();
                for (int k = 1; k < 20; k++) {
                    deliverUntilTaken(gateway, deliverer, from + k);
                }
                assertThat(gateway.protocols).as("round " + round).containsExactly("HTTP/2.0");
            }
        }
    }

    @Test
    void aConnectionThatSaysNothingIsLeft() throws Exception {
        try (var gateway = new HttpTestGateway(Optional.empty());
                var deliverer =
                        new HttpDeliverer(gateway.address(), HttpDelivery.of("node-1", Duration.ofMillis(500)))) {
            deliverUntilTaken(gateway, deliverer, 1);
            gateway.hang();
            assertThat(deliverer
                            .deliver(batch(gateway, 2, 3))
                            .toCompletableFuture()
                            .get())
                    .isInstanceOf(BatchOutcome.RetryLater.class);
            gateway.goOn();
            deliverUntilTaken(gateway, deliverer, 3);
            assertThat(gateway.connections()).isEqualTo(2);
        }
    }

    @Test
    void aSlowAnswerAmongQuickOnesDoesNotCostTheConnection() throws Exception {
        try (var gateway = new HttpTestGateway(Optional.empty());
                var deliverer =
                        new HttpDeliverer(gateway.address(), HttpDelivery.of("node-1", Duration.ofMillis(800)))) {
            deliverUntilTaken(gateway, deliverer, 0);
            CountDownLatch goOn = new CountDownLatch(1);
            gateway.answer(batch -> batch.getFirst().seq() == 1 ? later(goOn) : BatchOutcome.DELIVERED);
            CompletableFuture<BatchOutcome> slow =
                    deliverer.deliver(batch(gateway, 1, 2)).toCompletableFuture();
            deliverUntilTaken(gateway, deliverer, 2);
            assertThat(slow.get()).isInstanceOf(BatchOutcome.RetryLater.class);
            deliverUntilTaken(gateway, deliverer, 3);
            goOn.countDown();
            assertThat(gateway.connections()).isEqualTo(1);
        }
    }

    private static BatchOutcome later(CountDownLatch goOn) {
        try {
            goOn.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        return BatchOutcome.DELIVERED;
    }

    @Test
    void aGatewayThatOnlySpeaksHttp11IsServedThatWay() throws Exception {
        List<String> methods = Collections.synchronizedList(new ArrayList<>());
        HttpServer plain = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        plain.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            methods.add(exchange.getRequestMethod());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        plain.start();
        GatewayAddress address = new GatewayAddress(
                "gw", Protocol.HTTP, "http://127.0.0.1:" + plain.getAddress().getPort());
        try (var gateway = new HttpTestGateway(Optional.empty());
                var deliverer = new HttpDeliverer(address, HttpDelivery.of("node-1", TIMEOUT))) {
            for (int n = 0; n < 3; n++) {
                assertDelivered(deliverer.deliver(batch(gateway, n, n + 1)).toCompletableFuture());
            }
            assertThat(methods).as("asked once").containsExactly("OPTIONS", "POST", "POST", "POST");
        } finally {
            plain.stop(0);
        }
    }

    private static void deliverUntilTaken(HttpTestGateway gateway, Deliverer deliverer, int n) throws Exception {
        BatchOutcome outcome;
        do {
            outcome = deliverer
                    .deliver(batch(gateway, n, n + 1))
                    .toCompletableFuture()
                    .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } while (!outcome.equals(BatchOutcome.DELIVERED));
    }

    /** Many at once from the first: that is when a client opens too many connections. */
    private static void sendAll(HttpTestGateway gateway, Deliverer deliverer) throws Exception {
        long began = System.nanoTime();
        Queue<CompletableFuture<BatchOutcome>> underWay = new ArrayDeque<>();
        for (int n = 0; n < BATCHES; n++) {
            if (underWay.size() == AT_ONCE) {
                assertDelivered(underWay.remove());
            }
            underWay.add(deliverer.deliver(batch(gateway, n, n + 1)).toCompletableFuture());
        }
        for (CompletableFuture<BatchOutcome> last : underWay) {
            assertDelivered(last);
        }
        System.out.printf("%d batches in %d ms%n", BATCHES, (System.nanoTime() - began) / 1_000_000);
        assertThat(gateway.received())
                .extracting(Received::seq)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, BATCHES).boxed().toList());
    }

    private static void assertDelivered(CompletableFuture<BatchOutcome> outcome) throws Exception {
        assertThat(outcome.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(BatchOutcome.DELIVERED);
    }

    private static void assertOneHttp2Connection(HttpTestGateway gateway) {
        assertThat(gateway.protocols).containsExactly("HTTP/2.0");
        assertThat(gateway.peers).hasSize(1);
        assertThat(gateway.connections()).isEqualTo(1);
    }
}
