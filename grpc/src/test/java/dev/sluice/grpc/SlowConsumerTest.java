package dev.sluice.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.ListenAddress;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.SendPace;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamMeter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Row 15: a consumer that does not read costs itself its lag, and nobody else anything. */
@Timeout(60)
@Isolated("it looks at the heap")
class SlowConsumerTest {
    private static final int EVENTS = 4_000;
    private static final int BYTES = 8_000;

    private final List<SendPace.Level> told = new CopyOnWriteArrayList<>();
    private final TestBackend backend = new TestBackend(1).padded(BYTES);

    @Test
    void aStalledConsumerIsPausedLoudlyKeepsNothingAndGoesOnLater() throws Exception {
        StreamMeter meter = new StreamMeter() {
            @Override
            public void backpressure(SendPace.Level level) {
                told.add(level);
            }
        };
        PullerOptions options = PullerOptions.DEFAULT
                .withThresholds(Duration.ofMillis(30), Duration.ofMillis(120))
                .withMeter(meter);
        SubscribeRequest request = SubscribeRequest.newBuilder()
                .setAfter(ProgressMarker.NOWHERE.encode())
                .setEncoding(Encoding.BSON)
                .build();
        SubscribeRequest ofTheStalled =
                request.toBuilder().setConsumerId("stalled").build();
        try (PullerGrpcServer server = PullerGrpcServer.start(
                        ListenAddress.loopback(0), ServerSecurity.NONE, Map.of("a", backend.reader), options);
                TestConsumer stalled = TestConsumer.stalled(server, ofTheStalled);
                TestConsumer lively = TestConsumer.batches(server, request)) {
            List<String> ids = backend.inserts(EVENTS);
            assertThat(lively.takeIds(EVENTS)).isEqualTo(ids);
            PullerGrpcServerTest.awaitUntil(() -> paused(server).isPresent());
            assertThat(told).contains(SendPace.Level.SLOW, SendPace.Level.CRITICAL);
            ConsumerStatus paused = paused(server).orElseThrow();
            assertThat(paused.events() * BYTES)
                    .as("what lies in buffers for it")
                    .isLessThan(4 << 20);
            assertThat(paused.eventsBehind()).isGreaterThan(EVENTS / 2);
            stalled.read(Integer.MAX_VALUE);
            assertThat(stalled.takeIds(EVENTS)).isEqualTo(ids);
            PullerGrpcServerTest.awaitUntil(() -> server.consumers().list().stream()
                    .allMatch(status -> status.state() != ConsumerStatus.State.PAUSED && status.eventsBehind() == 0));
        }
    }

    /** Ten stalled consumers and a backlog far beyond what a heap of 64 MiB would hold ten times. */
    @Test
    void manyStalledConsumersHoldNoEvents() throws Exception {
        SubscribeRequest request = SubscribeRequest.newBuilder()
                .setAfter(ProgressMarker.NOWHERE.encode())
                .setEncoding(Encoding.BSON)
                .build();
        backend.inserts(EVENTS);
        InMemoryEventLog log = backend.log;
        try (PullerGrpcServer server = PullerGrpcServer.start(
                ListenAddress.loopback(0),
                ServerSecurity.NONE,
                Map.of("a", backend.reader),
                PullerOptions.DEFAULT.withThresholds(Duration.ofMillis(20), Duration.ofMillis(60)))) {
            long before = usedHeap();
            List<TestConsumer> stalled = new CopyOnWriteArrayList<>();
            for (int k = 0; k < 10; k++) {
                stalled.add(TestConsumer.stalled(server, request));
            }
            awaitPaused(server, 10);
            long grown = usedHeap() - before;
            System.out.printf(
                    "heap grew by %,d bytes for ten stalled consumers, log of %,d bytes%n",
                    grown, log.state().bytes());
            assertThat(grown).isLessThan(10L * (3 << 20));
            stalled.forEach(TestConsumer::close);
        }
    }

    /** Each is in the middle of a window of all documents, whose index would take megabytes. */
    @Test
    void manyStalledConsumersThatCoalesceHoldNoWindows() throws Exception {
        TestBackend wide = new TestBackend(2).padded(100);
        wide.distinctInserts(40_000);
        SubscribeRequest request = SubscribeRequest.newBuilder()
                .setAfter(ProgressMarker.NOWHERE.encode())
                .setEncoding(Encoding.BSON)
                .setCoalesceOnCatchUp(true)
                .build();
        PullerOptions options = PullerOptions.DEFAULT
                .withLimits(StreamLimits.DEFAULT.withCatchUpThreshold(1_000))
                .withThresholds(Duration.ofMillis(20), Duration.ofMillis(60));
        try (PullerGrpcServer server = PullerGrpcServer.start(
                ListenAddress.loopback(0), ServerSecurity.NONE, Map.of("a", wide.reader), options)) {
            long before = usedHeap();
            List<TestConsumer> stalled = new CopyOnWriteArrayList<>();
            for (int k = 0; k < 20; k++) {
                stalled.add(TestConsumer.stalled(server, request));
            }
            awaitPaused(server, 20);
            long grown = usedHeap() - before;
            System.out.printf(
                    "heap grew by %,d bytes for twenty stalled consumers, their windows hold %,d%n",
                    grown, server.windows().taken());
            assertThat(server.windows().taken()).isLessThan(20L * (16 << 10));
            assertThat(grown).isLessThan(20L * (2 << 20));
            TestConsumer last = stalled.removeLast();
            last.read(Integer.MAX_VALUE);
            assertThat(last.take(40_000)).hasSize(40_000);
            stalled.forEach(TestConsumer::close);
            last.close();
            PullerGrpcServerTest.awaitUntil(() -> server.consumers().size() == 0);
            assertThat(server.windows().taken())
                    .as("gone while paused: all is given back")
                    .isZero();
        }
    }

    /** The lively one may be listed first, and may pause for a moment. */
    private static Optional<ConsumerStatus> paused(PullerGrpcServer server) {
        return server.consumers().list().stream()
                .filter(status -> status.label().equals("stalled") && status.state() == ConsumerStatus.State.PAUSED)
                .findFirst();
    }

    private static void awaitPaused(PullerGrpcServer server, int consumers) throws InterruptedException {
        PullerGrpcServerTest.awaitUntil(() -> server.consumers().list().stream()
                        .filter(status -> status.state() == ConsumerStatus.State.PAUSED)
                        .count()
                == consumers);
    }

    static long usedHeap() {
        for (int k = 0; k < 3; k++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
