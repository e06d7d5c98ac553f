package dev.sluice.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogChangedException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.StreamId;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.LogsRequest;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.ResolveRequest;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.log.AbsentLog;
import dev.sluice.log.LogReader;
import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.ListenAddress;
import dev.sluice.run.Loops;
import dev.sluice.stream.StreamLimits;
import dev.sluice.testkit.contract.FeedLog;
import dev.sluice.testkit.contract.FeedProbe;
import dev.sluice.testkit.contract.LogFeedContract;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GrpcLogFeedTest extends LogFeedContract {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final StreamLimits LIMITS = StreamLimits.DEFAULT.withHeartbeat(Duration.ofMillis(20));
    private static final StreamId WHOLE = new StreamId("a", 0, 1);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Loops loops = new Loops();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @Override
    protected EventFeed feed(Map<String, LogReader> logs) {
        return feed(PATIENCE, address(serve(logs, LIMITS)));
    }

    private GrpcLogFeed feed(Duration silence, String... addresses) {
        GrpcLogFeed feed = new GrpcLogFeed(PullerAccess.to(addresses), silence, loops);
        open.add(feed);
        return feed;
    }

    private static String address(PullerGrpcServer server) {
        return "127.0.0.1:" + server.port();
    }

    private PullerGrpcServer serve(Map<String, LogReader> logs, StreamLimits limits) {
        return serve(logs, PullerOptions.DEFAULT.withLimits(limits), ServerSecurity.NONE);
    }

    private PullerGrpcServer serve(Map<String, LogReader> logs, PullerOptions options, ServerSecurity security) {
        try {
            PullerGrpcServer server = PullerGrpcServer.start(ListenAddress.loopback(0), security, logs, options);
            open.add(server);
            return server;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static LogHead head(EventFeed feed) {
        LogHead head = feed.heads().get("a");
        assertThat(head).isNotNull();
        return head;
    }

    private static FeedProbe probe(EventFeed feed, Position after) {
        return new FeedProbe(feed, WHOLE, head(feed).identity(), after);
    }

    private static void readOn(FeedProbe probe) {
        while (true) {
            probe.some(10, Long.MAX_VALUE);
        }
    }

    /** Both hold the same events; only the ids are common to them. */
    @Test
    void whenAPullerGoesAllMoveToTheNextWhoseLogIsAnother() {
        FeedLog other = unstarted("a");
        other.checkpoint(1);
        a.insertAll(10, 3, k -> "d" + k);
        List<String> expected = other.insertAll(10, 3, k -> "d" + k);
        PullerGrpcServer first = serve(Map.of("a", a.reader()), LIMITS);
        PullerGrpcServer second = serve(Map.of("a", other.reader()), LIMITS);
        EventFeed feed = feed(PATIENCE, address(first), address(second));
        LogHead before = head(feed);
        try (FeedProbe one = probe(feed, before.oldest());
                FeedProbe two = probe(feed, before.oldest())) {
            EventId last = one.events(4, 4).getLast().event().id();
            two.events(10, 100);
            first.close();
            assertThatThrownBy(() -> readOn(one)).isInstanceOf(FeedUnavailableException.class);
            assertThatThrownBy(() -> readOn(two)).isInstanceOf(FeedUnavailableException.class);
            try (FeedProbe again = new FeedProbe(feed, WHOLE, before.identity(), one.passed())) {
                assertThatThrownBy(() -> readOn(again)).isInstanceOf(LogChangedException.class);
            }
            LogHead after = head(feed);
            assertThat(after.identity()).isNotEqualTo(before.identity());
            Position place = feed.resolve("a", after.identity(), List.of(last)).getFirst();
            try (FeedProbe rest = probe(feed, place)) {
                assertThat(rest.events(6, 100))
                        .extracting(event -> "a " + event.event().id())
                        .isEqualTo(expected.subList(4, 10));
            }
        }
    }

    /** A reader that has nothing to complain of must not stay behind at another log. */
    @Test
    void aFailedCallMovesTheReadersToo() {
        FeedLog other = unstarted("a");
        other.checkpoint(1);
        PullerGrpcServer first = serve(Map.of("a", a.reader()), LIMITS);
        EventFeed feed = feed(PATIENCE, address(first), address(serve(Map.of("a", other.reader()), LIMITS)));
        try (FeedProbe probe = probe(feed, head(feed).head())) {
            first.close();
            assertThatThrownBy(() -> readOn(probe)).isInstanceOf(FeedUnavailableException.class);
        }
        assertThat(head(feed).identity()).isEqualTo(other.reader().state().identity());
    }

    @Test
    void aPullerThatComesBackIsReadAgain() throws Exception {
        PullerGrpcServer first = serve(Map.of("a", a.reader()), LIMITS);
        EventFeed feed = feed(PATIENCE, address(first));
        LogHead before = head(feed);
        Position place = before.head();
        int port = first.port();
        first.close();
        assertThatThrownBy(() -> feed.resolve("a", before.identity(), List.of(place.id())))
                .isInstanceOf(FeedUnavailableException.class)
                .hasMessageContaining("127.0.0.1:" + port);
        open.add(PullerGrpcServer.start(
                ListenAddress.loopback(port),
                ServerSecurity.NONE,
                Map.of("a", a.reader()),
                PullerOptions.DEFAULT.withLimits(LIMITS)));
        a.insert(50, "later");
        try (FeedProbe probe = probe(feed, place)) {
            assertThat(probe.events(1, 10)).hasSize(1);
        }
    }

    @Test
    void aSilentPullerIsGivenUp() {
        StreamLimits quiet = StreamLimits.DEFAULT.withHeartbeat(Duration.ofHours(1));
        EventFeed feed = feed(Duration.ofMillis(300), address(serve(Map.of("a", a.reader()), quiet)));
        try (FeedProbe probe = probe(feed, head(feed).head())) {
            assertThatThrownBy(() -> readOn(probe))
                    .isInstanceOf(FeedUnavailableException.class)
                    .hasMessageContaining("silent");
        }
    }

    /** It holds two messages at most, and the Puller's heartbeats wait behind them. */
    @Test
    void aReaderThatStandsStillHoldsLittleAndIsNotTakenForSilence() throws Exception {
        int events = 100_000;
        a.insertAll(events, 50, k -> "d" + k);
        PullerGrpcServer server = serve(Map.of("a", a.reader()), LIMITS);
        EventFeed feed = feed(Duration.ofMillis(300), address(server));
        try (FeedProbe probe = probe(feed, head(feed).oldest())) {
            List<?> first = probe.some(10, Long.MAX_VALUE);
            Thread.sleep(1_000);
            assertThat(server.consumers().list())
                    .singleElement()
                    .satisfies(listed -> assertThat(listed.events()).isLessThan(events / 2));
            assertThat(probe.events(events - first.size(), 1_000)).hasSize(events - first.size());
        }
    }

    @Test
    void moreIdsThanOneCallTakesAreResolvedAllTheSame() {
        a.insertAll(10, 3, k -> "d" + k);
        EventFeed feed = feed(PATIENCE, address(serve(Map.of("a", a.reader()), LIMITS)));
        LogHead head = head(feed);
        List<EventId> ids = Collections.nCopies(25_000, head.head().id());
        assertThat(feed.resolve("a", head.identity(), ids)).hasSize(25_000).containsOnly(head.head());
    }

    @Test
    void aReaderThatIsRefusedForWantOfRoomDisturbsNoOther() {
        PullerOptions one = PullerOptions.DEFAULT.withLimits(LIMITS).withMaxConnections(1);
        PullerGrpcServer server = serve(Map.of("a", a.reader()), one, ServerSecurity.NONE);
        EventFeed feed = feed(PATIENCE, address(server), address(serve(Map.of("a", b.reader()), LIMITS)));
        try (FeedProbe first = probe(feed, head(feed).head())) {
            a.insert(10, "x");
            first.events(1, 10);
            try (FeedProbe second = probe(feed, first.passed())) {
                assertThatThrownBy(() -> readOn(second))
                        .isInstanceOf(FeedUnavailableException.class)
                        .hasMessageContaining("max_connections");
            }
            a.insert(20, "y");
            assertThat(first.events(1, 10)).hasSize(1);
        }
    }

    @Test
    void aLogThatCouldNotBeOpenedIsLeftOut() {
        LogReader absent = new AbsentLog("its directory is damaged", InstantSource.system()).reader();
        EventFeed feed = feed(PATIENCE, address(serve(Map.of("a", a.reader(), "gone", absent), LIMITS)));
        assertThat(feed.heads()).containsOnlyKeys("a");
        try (FeedProbe probe = new FeedProbe(feed, new StreamId("gone", 0, 1), 7, Position.START)) {
            assertThatThrownBy(() -> readOn(probe))
                    .isInstanceOf(FeedUnavailableException.class)
                    .hasMessageContaining("could not be opened");
        }
    }

    /** Version 0.1 ignores the fields it does not know and sends everything. */
    private static final class OldPuller extends PullerServiceGrpc.PullerServiceImplBase {
        @Override
        public void subscribeBatches(SubscribeRequest request, StreamObserver<EventBatch> consumer) {
            consumer.onNext(EventBatch.newBuilder().setProgress("eyJwIjp7fX0").build());
        }
    }

    @Test
    void aPullerOfVersionOneMustBeUpgraded() throws Exception {
        Server old = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(new OldPuller())
                .build()
                .start();
        open.add(old::shutdownNow);
        EventFeed feed = feed(PATIENCE, "127.0.0.1:" + old.getPort());
        assertThatThrownBy(feed::heads)
                .isInstanceOf(FeedUnavailableException.class)
                .hasMessageContaining("upgrade the Puller");
        assertThatThrownBy(() -> feed.resolve("a", 7, List.of(Position.START.id())))
                .isInstanceOf(FeedUnavailableException.class)
                .hasMessageContaining("upgrade the Puller");
        try (FeedProbe probe = new FeedProbe(feed, WHOLE, 7, Position.START)) {
            assertThatThrownBy(() -> readOn(probe))
                    .isInstanceOf(FeedUnavailableException.class)
                    .hasMessageContaining("upgrade the Puller");
        }
    }

    private PullerServiceGrpc.PullerServiceBlockingStub stub(PullerGrpcServer server) {
        ManagedChannel channel = PullerAccess.to(address(server)).channel(address(server));
        open.add(channel::shutdownNow);
        return PullerServiceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
    }

    private static Status refusal(ThrowingCallable call) {
        StatusRuntimeException refused = catchThrowableOfType(StatusRuntimeException.class, call);
        assertThat(refused).isNotNull();
        return refused.getStatus();
    }

    @Test
    void requestsThatMakeNoSenseAreRefused() {
        PullerServiceGrpc.PullerServiceBlockingStub stub = stub(serve(Map.of("a", a.reader()), LIMITS));
        String id = Position.START.id().toString();
        ResolveRequest.Builder resolve = ResolveRequest.newBuilder().setLog("a");
        assertThat(refusal(() -> stub.resolve(resolve.clone()
                                .addAllIds(Collections.nCopies(10_001, id))
                                .build()))
                        .getCode())
                .isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal(() -> stub.resolve(resolve.clone().addIds("nonsense").build()))
                        .getCode())
                .isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(stub.resolve(resolve.clone()
                                .addAllIds(Collections.nCopies(10_000, id))
                                .build())
                        .getPositionsCount())
                .isEqualTo(10_000);
        SubscribeRequest.Builder ofLog = SubscribeRequest.newBuilder()
                .setLog("a")
                .setLogIdentity(a.reader().state().identity());
        for (SubscribeRequest.Builder wrong : List.of(
                SubscribeRequest.newBuilder().setAfterId(id),
                SubscribeRequest.newBuilder().setLogIdentity(7),
                SubscribeRequest.newBuilder().setLog("a").setAfterId(id),
                ofLog.clone().setAfterOrdinal(3),
                ofLog.clone().setAfterId("nonsense"),
                ofLog.clone().setAfterId(id).setAfterOrdinal(-1),
                ofLog.clone().setCoalesceOnCatchUp(true))) {
            assertThat(refusal(() -> stub.subscribeBatches(wrong.build()).hasNext())
                            .getCode())
                    .as("%s", wrong)
                    .isEqualTo(Status.Code.INVALID_ARGUMENT);
        }
        assertThat(refusal(() -> stub.subscribeBatches(SubscribeRequest.newBuilder()
                                        .setLog("c")
                                        .build())
                                .hasNext())
                        .getCode())
                .isEqualTo(Status.Code.NOT_FOUND);
    }

    @Test
    void anotherIdentityIsToldInTheTrailers() {
        PullerServiceGrpc.PullerServiceBlockingStub stub = stub(serve(Map.of("a", a.reader()), LIMITS));
        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> stub.subscribeBatches(SubscribeRequest.newBuilder()
                                .setLog("a")
                                .setLogIdentity(7)
                                .build())
                        .hasNext());
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
        assertThat(refused.getTrailers().get(ProgressHeaders.LOG_IDENTITY))
                .isEqualTo(Long.toUnsignedString(a.reader().state().identity(), 16));
    }

    /** Without a position a stream of one log begins now, or at the marker, as every stream does. */
    @Test
    void aStreamOfOneLogMayBeginAtAMarker() {
        List<String> ids = a.insertAll(5, 5, k -> "d" + k);
        b.insert(5, "other");
        PullerGrpcServer server = serve(Map.of("a", a.reader(), "b", b.reader()), LIMITS);
        EventBatch batch = stub(server)
                .subscribeBatches(SubscribeRequest.newBuilder()
                        .setLog("a")
                        .setAfter(ProgressMarker.NOWHERE.encode())
                        .build())
                .next();
        assertThat(batch.getLogIdentity()).isEqualTo(a.reader().state().identity());
        assertThat(batch.getEventsList())
                .extracting(event -> "a " + event.getId())
                .isEqualTo(ids);
        assertThat(batch.getEventsList())
                .extracting(event -> event.getOrdinal())
                .containsExactly(1, 2, 3, 4, 5);
        assertThat("a " + batch.getPassedId()).isEqualTo(ids.getLast());
        assertThat(batch.getPassedOrdinal()).isEqualTo(5);
        assertThat(batch.getHeadId()).isEqualTo(batch.getPassedId());
    }

    @Test
    void theTokenIsWantedForTheNewCallsToo() {
        PullerGrpcServer server = serve(
                Map.of("a", a.reader()),
                PullerOptions.DEFAULT.withLimits(LIMITS),
                new ServerSecurity(null, null, null, "secret", false));
        PullerServiceGrpc.PullerServiceBlockingStub stub = stub(server);
        assertThat(refusal(() -> stub.logs(LogsRequest.getDefaultInstance())).getCode())
                .isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(refusal(() -> stub.resolve(ResolveRequest.getDefaultInstance()))
                        .getCode())
                .isEqualTo(Status.Code.UNAUTHENTICATED);
        GrpcLogFeed feed = new GrpcLogFeed(
                new PullerAccess(List.of(address(server)), InsecureChannelCredentials.create(), "secret"),
                PATIENCE,
                loops);
        open.add(feed);
        assertThat(feed.heads()).containsOnlyKeys("a");
    }

    /** Also when the caller sleeps: the end of a stream is a signal. */
    @Test
    void theEndOfAStreamIsSignalled() throws Exception {
        PullerGrpcServer server = serve(Map.of("a", a.reader()), LIMITS);
        EventFeed feed = feed(PATIENCE, address(server));
        LogHead head = head(feed);
        Semaphore signals = new Semaphore(0);
        try (EventFeed.Reader reader = feed.open("test", WHOLE, head.identity(), head.head(), signals::release)) {
            assertThat(signals.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            assertThat(reader.read(10, 100).events()).isEmpty();
            server.close();
            assertThatThrownBy(() -> {
                        while (signals.tryAcquire(20, TimeUnit.SECONDS)) {
                            reader.read(10, 100);
                        }
                    })
                    .isInstanceOf(FeedUnavailableException.class);
        }
    }
}
