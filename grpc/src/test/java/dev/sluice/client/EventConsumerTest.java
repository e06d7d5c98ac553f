package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.grpc.PullerGrpcServer;
import dev.sluice.grpc.PullerOptions;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.grpc.TestBackend;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.ListenAddress;
import dev.sluice.stream.StreamLimits;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class EventConsumerTest {
    private final TestBackend backend = new TestBackend(1);
    private final LinkedBlockingQueue<String> handled = new LinkedBlockingQueue<>();

    private PullerGrpcServer serve(int port) throws Exception {
        return serve(port, ServerSecurity.NONE);
    }

    private PullerGrpcServer serve(int port, ServerSecurity security) throws Exception {
        return PullerGrpcServer.start(
                ListenAddress.loopback(port), security, Map.of("a", backend.reader), PullerOptions.DEFAULT);
    }

    private static String at(int port) {
        return "127.0.0.1:" + port;
    }

    private ConsumerOptions options(int port) {
        return EventConsumer.options()
                .label("test")
                .address(at(port))
                .start(ConsumerOptions.Start.OLDEST)
                .backoff(Duration.ofMillis(10), Duration.ofMillis(100));
    }

    private void handle(Event event) {
        handled.add(event.getId());
    }

    private List<String> take(int count) throws InterruptedException {
        List<String> ids = new ArrayList<>();
        while (ids.size() < count) {
            String id = handled.poll(20, TimeUnit.SECONDS);
            assertThat(id).as("event %s of %s", ids.size(), count).isNotNull();
            ids.add(id);
        }
        return ids;
    }

    /** What the documentation shows. */
    @Test
    void example(@TempDir Path folder) throws Exception {
        Path marker = folder.resolve("orders.marker");
        try (PullerGrpcServer server = serve(0)) {
            List<String> first = backend.inserts(3);
            try (EventConsumer consumer =
                    options(server.port()).markers(new FileMarkerStore(marker)).start(this::handle)) {
                assertThat(take(3)).isEqualTo(first);
                assertThat(consumer.ended().toCompletableFuture()).isNotDone();
            }
            List<String> second = backend.inserts(2);
            try (EventConsumer consumer =
                    options(server.port()).markers(new FileMarkerStore(marker)).start(this::handle)) {
                assertThat(take(2)).isEqualTo(second);
                assertThat(consumer.marker()).isNotEmpty();
            }
        }
    }

    /** Killed before anything came, it must not begin at a later "now" and miss what happened between. */
    @Test
    void theMarkerOfNowIsSavedAtOnceThoughTheStreamIsQuiet() throws Exception {
        LinkedBlockingQueue<String> saved = new LinkedBlockingQueue<>();
        MarkerStore markers = new MarkerStore() {
            @Override
            public Optional<String> load() {
                return Optional.empty();
            }

            @Override
            public void save(String marker) {
                saved.add(marker);
            }
        };
        try (PullerGrpcServer server = serve(0);
                EventConsumer quiet = options(server.port())
                        .start(ConsumerOptions.Start.NOW)
                        .markers(markers)
                        .saveInterval(Duration.ofHours(1))
                        .start(event -> {})) {
            String kept = saved.poll(10, TimeUnit.SECONDS);
            assertThat(kept).as("a marker saved while nothing happens").isNotNull();
            List<String> between = backend.inserts(2);
            try (EventConsumer next = options(server.port())
                    .start(ConsumerOptions.Start.NOW)
                    .markers(holding(kept))
                    .start(this::handle)) {
                assertThat(take(2)).isEqualTo(between);
                assertThat(next).isNotSameAs(quiet);
            }
        }
    }

    @Test
    void aServerThatSendsNothingIsGivenUp() throws Exception {
        PullerOptions silent =
                PullerOptions.DEFAULT.withLimits(StreamLimits.DEFAULT.withHeartbeat(Duration.ofHours(1)));
        LinkedBlockingQueue<Throwable> causes = new LinkedBlockingQueue<>();
        try (PullerGrpcServer server = PullerGrpcServer.start(
                        ListenAddress.loopback(0), ServerSecurity.NONE, Map.of("a", backend.reader), silent);
                EventConsumer consumer = options(server.port())
                        .silenceLimit(Duration.ofMillis(100))
                        .listener(telling(causes))
                        .start(this::handle)) {
            assertThat(causes.poll(20, TimeUnit.SECONDS)).hasMessageContaining("not even a heartbeat");
            List<String> later = backend.inserts(1);
            assertThat(take(1)).isEqualTo(later);
            assertThat(consumer.ended().toCompletableFuture()).isNotDone();
        }
    }

    private static ConsumerListener telling(LinkedBlockingQueue<Throwable> causes) {
        return new ConsumerListener() {
            @Override
            public void disconnected(String address, Throwable cause) {
                causes.add(cause);
            }
        };
    }

    @Test
    void heartbeatsReachOnlyACallbackThatAskedForThem() throws Exception {
        PullerOptions lively =
                PullerOptions.DEFAULT.withLimits(StreamLimits.DEFAULT.withHeartbeat(Duration.ofMillis(5)));
        LinkedBlockingQueue<String> asked = new LinkedBlockingQueue<>();
        LinkedBlockingQueue<String> unasked = new LinkedBlockingQueue<>();
        try (PullerGrpcServer server = PullerGrpcServer.start(
                        ListenAddress.loopback(0), ServerSecurity.NONE, Map.of("a", backend.reader), lively);
                EventConsumer with =
                        options(server.port()).heartbeats().start(event -> asked.add(event.getOperationType()));
                EventConsumer without = options(server.port())
                        .startBatches(
                                (events, marker) -> events.forEach(event -> unasked.add(event.getOperationType())))) {
            assertThat(asked.poll(20, TimeUnit.SECONDS)).isEqualTo("heartbeat");
            assertThat(asked.poll(20, TimeUnit.SECONDS)).isEqualTo("heartbeat");
            backend.inserts(1);
            assertThat(unasked.poll(20, TimeUnit.SECONDS)).isEqualTo("insert");
            assertThat(with).isNotSameAs(without);
        }
    }

    /** A proxy, for example, that answers every call with an empty success. */
    @Test
    void aStreamThatTheServerCompletesIsOpenedAgainAfterAPause() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        LinkedBlockingQueue<Throwable> causes = new LinkedBlockingQueue<>();
        Server completing = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(new PullerServiceGrpc.PullerServiceImplBase() {
                    @Override
                    public void subscribeBatches(SubscribeRequest request, StreamObserver<EventBatch> answer) {
                        calls.incrementAndGet();
                        answer.onCompleted();
                    }
                })
                .build()
                .start();
        try (EventConsumer consumer = options(completing.getPort())
                .backoff(Duration.ofMinutes(1), Duration.ofMinutes(1))
                .listener(telling(causes))
                .start(this::handle)) {
            assertThat(causes.poll(20, TimeUnit.SECONDS)).hasMessageContaining("completed the stream");
            assertThat(calls).hasValue(1);
            assertThat(consumer.ended().toCompletableFuture()).isNotDone();
        } finally {
            completing.shutdownNow();
        }
    }

    @Test
    void codeThatKeepsFailingIsAskedLessAndLessOften() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (PullerGrpcServer server = serve(0)) {
            backend.inserts(1);
            try (EventConsumer consumer = options(server.port())
                    .backoff(Duration.ofMillis(20), Duration.ofMinutes(1))
                    .start(event -> {
                        attempts.incrementAndGet();
                        throw new IllegalStateException("cannot handle it");
                    })) {
                while (attempts.get() == 0) {
                    Thread.sleep(10);
                }
                Thread.sleep(2_000);
                assertThat(attempts.get()).isBetween(1, 12);
                assertThat(consumer.ended().toCompletableFuture()).isNotDone();
            }
        }
    }

    @Test
    void itComesBackAfterRestartsOfTheServerWithoutLoss() throws Exception {
        int port;
        List<String> expected = new ArrayList<>();
        try (PullerGrpcServer server = serve(0)) {
            port = server.port();
        }
        try (EventConsumer consumer = options(port).dropRepeats(10_000).start(this::handle)) {
            for (int round = 0; round < 4; round++) {
                try (PullerGrpcServer server = serve(port)) {
                    expected.addAll(backend.inserts(50));
                    assertThat(take(50)).isEqualTo(expected.subList(round * 50, round * 50 + 50));
                    assertThat(server.port()).isEqualTo(port);
                }
            }
            assertThat(consumer.ended().toCompletableFuture()).isNotDone();
        }
        assertThat(handled).isEmpty();
    }

    @Test
    void itGoesOnAtAnotherAddressFromTheSameMarker() throws Exception {
        PullerGrpcServer first = serve(0);
        try (PullerGrpcServer second = serve(0);
                EventConsumer consumer =
                        options(first.port()).address(at(second.port())).start(this::handle)) {
            List<String> before = backend.inserts(10);
            assertThat(take(10)).isEqualTo(before);
            first.close();
            List<String> after = backend.inserts(10);
            assertThat(take(10)).isEqualTo(after);
            assertThat(consumer.marker()).isNotEmpty();
        }
    }

    @Test
    void anEventWhoseHandlingFailedComesAgainAndTheMarkerStaysBeforeIt() throws Exception {
        MemoryMarkerStore markers = new MemoryMarkerStore();
        AtomicInteger failures = new AtomicInteger();
        try (PullerGrpcServer server = serve(0)) {
            List<String> ids = backend.inserts(10);
            EventCallback clumsy = event -> {
                if (event.getId().equals(ids.get(4)) && failures.incrementAndGet() <= 2) {
                    Optional<String> saved = markers.load();
                    saved.ifPresent(
                            marker -> assertThat(ProgressMarker.decode(marker).position("a"))
                                    .isNotEqualTo(Optional.of(EventId.parse(ids.get(4)))));
                    throw new IllegalStateException("the database is away");
                }
                handle(event);
            };
            try (EventConsumer consumer = options(server.port())
                    .markers(markers)
                    .saveInterval(Duration.ZERO)
                    .start(clumsy)) {
                assertThat(take(10)).isEqualTo(ids);
                assertThat(failures).hasValue(3);
                assertThat(consumer.marker()).isNotEmpty();
            }
            assertThat(ProgressMarker.decode(markers.load().orElseThrow()).position("a"))
                    .contains(EventId.parse(ids.get(9)));
        }
    }

    @Test
    void batchesAreHandledAsAWhole() throws Exception {
        LinkedBlockingQueue<String> markers = new LinkedBlockingQueue<>();
        try (PullerGrpcServer server = serve(0)) {
            List<String> ids = backend.inserts(500);
            try (EventConsumer consumer = options(server.port()).startBatches((events, marker) -> {
                events.forEach(this::handle);
                markers.add(marker);
            })) {
                assertThat(take(500)).isEqualTo(ids);
                assertThat(consumer.marker()).isNotEmpty();
            }
            assertThat(markers).hasSizeLessThan(500).isNotEmpty();
        }
    }

    @Test
    void whoWasOvertakenIsToldAndDoesAsThePolicySays() throws Exception {
        List<String> ids = backend.inserts(50);
        String tooOld = new ProgressMarker(Map.of("a", EventId.parse(ids.get(0)))).encode();
        backend.log.evict(ClusterTime.of(backend.time() - 10, 1));
        LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();
        ConsumerListener listener = new ConsumerListener() {
            @Override
            public void outOfRange(String message, OutOfRangePolicy policy) {
                messages.add(message);
            }
        };
        try (PullerGrpcServer server = serve(0)) {
            MarkerStore kept = holding(tooOld);
            try (EventConsumer stops = options(server.port())
                    .markers(kept)
                    .saveInterval(Duration.ZERO)
                    .listener(listener)
                    .start(this::handle)) {
                assertThatThrownBy(stops::awaitEnd)
                        .isInstanceOf(CompletionException.class)
                        .hasCauseInstanceOf(ConsumerEndedException.class)
                        .hasMessageContaining("no longer kept");
                assertThat(messages).hasSize(1);
            }
            assertThat(kept.load()).as("a restart is told again").contains(tooOld);
            try (EventConsumer oldest = options(server.port())
                    .markers(holding(tooOld))
                    .whenOutOfRange(OutOfRangePolicy.FROM_OLDEST)
                    .start(this::handle)) {
                assertThat(take(10)).isEqualTo(ids.subList(40, 50));
                assertThat(oldest.marker()).isNotEmpty();
            }
        }
    }

    private static MarkerStore holding(String marker) {
        MemoryMarkerStore store = new MemoryMarkerStore();
        store.save(marker);
        return store;
    }

    @Test
    void aResyncIsToldBeforeAnythingBehindIt() throws Exception {
        List<String> order = new ArrayList<>();
        ConsumerListener listener = new ConsumerListener() {
            @Override
            public void resync(Event event) {
                order.add("read again: " + event.getCollection());
            }
        };
        try (PullerGrpcServer server = serve(0)) {
            backend.append(Operation.INSERT, "", "orders", "1");
            backend.append(Operation.RESYNC, "", "orders", "");
            backend.append(Operation.INSERT, "", "orders", "2");
            try (EventConsumer consumer = options(server.port())
                    .listener(listener)
                    .start(event -> {
                        order.add(event.getOperationType() + event.getDocumentId());
                        handle(event);
                    })) {
                take(3);
                assertThat(consumer.marker()).isNotEmpty();
            }
        }
        assertThat(order).containsExactly("insert1", "read again: orders", "resync", "insert2");
    }

    @Test
    void aRefusalThatTryingAgainDoesNotCureEndsIt() throws Exception {
        try (PullerGrpcServer server = serve(0);
                EventConsumer consumer =
                        options(server.port()).partitions(List.of(7), 2).start(this::handle)) {
            assertThatThrownBy(consumer::awaitEnd)
                    .hasCauseInstanceOf(ConsumerEndedException.class)
                    .hasMessageContaining("no partition 7 of 2");
        }
    }

    @Test
    void aTokenIsAskedForWhereOneIsConfigured() throws Exception {
        ServerSecurity secured = new ServerSecurity(null, null, null, "secret", false);
        try (PullerGrpcServer server = serve(0, secured)) {
            List<String> ids = backend.inserts(1);
            try (EventConsumer stranger = options(server.port()).token("wrong").start(this::handle)) {
                assertThatThrownBy(stranger::awaitEnd).hasCauseInstanceOf(ConsumerEndedException.class);
            }
            try (EventConsumer friend = options(server.port()).token("secret").start(this::handle)) {
                assertThat(take(1)).isEqualTo(ids);
                assertThat(friend.marker()).isNotEmpty();
            }
        }
    }
}
