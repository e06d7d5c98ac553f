package dev.sluice.http;

import static dev.sluice.testkit.contract.SampleDeliveries.delivery;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.testkit.contract.Received;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.NodeProgram;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Row 43 of issue 12: servers that speak HTTP/2 in cleartext from the first byte, and know no upgrade. */
@Timeout(60)
class PriorKnowledgeTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int BATCHES = 40;

    /** Three windows of a stream. */
    private static final int LARGE = 200_000;

    @Test
    void aPlainHttp2ServerIsReachedByOneConnection() throws Exception {
        try (var server = new PriorKnowledgeServer();
                var deliverer = deliverer(server.url())) {
            sendAll(deliverer, 10);
            assertThat(server.received)
                    .extracting(Received::seq)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, BATCHES).boxed().toList());
            assertThat(server.connections).hasValue(1);
        }
    }

    /** With Nagle's algorithm a body waits for the delayed acknowledgement of its headers: 40 ms per batch. */
    @Test
    void connectionsSendWithoutNaglesAlgorithm() throws Exception {
        try (var server = new PriorKnowledgeServer()) {
            HttpTarget target =
                    HttpTarget.of(URI.create(server.url()), "gateway", "gw", HttpDelivery.of("node-1", TIMEOUT));
            var exchange = new PriorKnowledgeExchange(target);
            try {
                exchange.send(null, TIMEOUT.toNanos());
                assertThat(exchange.sockets()).hasSize(1);
                for (Socket socket : exchange.sockets()) {
                    assertThat(socket.getTcpNoDelay()).isTrue();
                }
            } finally {
                exchange.close();
            }
        }
    }

    /** A client that sends more than it may is cut off, and again with every retry. */
    @Test
    void largeBatchesKeepToTheWindowsOfAServerThatReadsSlowly() throws Exception {
        try (var server = new PriorKnowledgeServer();
                var deliverer = deliverer(server.url())) {
            sendAll(deliverer, LARGE);
            assertThat(server.violations).isEmpty();
            assertThat(server.received).hasSize(BATCHES);
        }
    }

    /** The end of a batch, too: a server that waits for the rest of a window would wait for bytes that were never sent. */
    @ParameterizedTest
    @ValueSource(ints = {62_000, 66_000, 70_000, 76_000})
    void theEndOfABatchWaitsForAWindowWithNothingUnsent(int characters) throws Exception {
        try (var server = new PriorKnowledgeServer();
                var deliverer = deliverer(server.url())) {
            DeliveryBatch batch = new DeliveryBatch("gw", List.of(delivery(1, "doc", characters)));
            assertThat(deliverer.deliver(batch).toCompletableFuture().get(TIMEOUT.toSeconds() + 1, TimeUnit.SECONDS))
                    .isEqualTo(BatchOutcome.DELIVERED);
        }
    }

    @Test
    void nodesPlainHttp2ServerIsReachedAndReadsAtItsOwnPace(@TempDir Path folder) throws Exception {
        var node = NodeProgram.find();
        assumeTrue(node.isPresent(), "needs Node.js 18 or newer on the PATH: install it to test against its HTTP/2");
        Files.writeString(folder.resolve("gateway.mjs"), """
                import http2 from 'node:http2';
                const server = http2.createServer();
                server.on('stream', (stream, headers) => {
                  let body = '';
                  const read = setInterval(() => { for (let part; (part = stream.read()) !== null;) body += part; }, 10);
                  stream.setEncoding('utf8');
                  stream.on('error', error => console.log('error ' + error));
                  stream.on('end', () => {
                    clearInterval(read);
                    stream.respond({':status': headers[':method'] === 'POST' ? 200 : 405});
                    stream.end(body && JSON.stringify({accepted: JSON.parse(body).events.length, rejections: []}));
                  });
                });
                server.listen(0, '127.0.0.1', () => console.log('listening on ' + server.address().port));
                """);
        try (ChildProcess gateway = ChildProcess.start(
                ProcessSpec.of("node-http2", node.get().node().toString(), "gateway.mjs")
                        .in(folder))) {
            String port = gateway.awaitLine("^listening on (\\d+)", TIMEOUT).group(1);
            try (var deliverer = deliverer("http://127.0.0.1:" + port)) {
                sendAll(deliverer, LARGE);
            }
            assertThat(Files.readString(gateway.log())).doesNotContain("error");
        }
    }

    private static HttpDeliverer deliverer(String url) {
        return new HttpDeliverer(new GatewayAddress("gw", Protocol.HTTP, url), HttpDelivery.of("node-1", TIMEOUT));
    }

    /** All at once. */
    private static void sendAll(Deliverer deliverer, int characters) throws Exception {
        List<CompletableFuture<BatchOutcome>> outcomes = new ArrayList<>();
        for (int n = 0; n < BATCHES; n++) {
            DeliveryBatch batch = new DeliveryBatch("gw", List.of(delivery(n, "doc-" + n, characters)));
            outcomes.add(deliverer.deliver(batch).toCompletableFuture());
        }
        for (CompletableFuture<BatchOutcome> outcome : outcomes) {
            assertThat(outcome.get(TIMEOUT.toSeconds() + 1, TimeUnit.SECONDS)).isEqualTo(BatchOutcome.DELIVERED);
        }
    }
}
