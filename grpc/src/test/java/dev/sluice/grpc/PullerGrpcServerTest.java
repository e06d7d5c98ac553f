package dev.sluice.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.log.LogReader;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import dev.sluice.net.BindRefusedException;
import dev.sluice.net.ListenAddress;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamMeter;
import dev.sluice.testkit.contract.FailingReads;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PullerGrpcServerTest {
    private static final String OLDEST = ProgressMarker.NOWHERE.encode();

    private final TestBackend a = new TestBackend(1);
    private final TestBackend b = new TestBackend(2);
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private PullerGrpcServer serve(PullerOptions options, Map<String, LogReader> backends) throws IOException {
        PullerGrpcServer server =
                PullerGrpcServer.start(ListenAddress.loopback(0), ServerSecurity.NONE, backends, options);
        open.add(server);
        return server;
    }

    private PullerGrpcServer serveOne() throws IOException {
        return serve(PullerOptions.DEFAULT, Map.of("a", a.reader));
    }

    private PullerGrpcServer serveTwo() throws IOException {
        return serve(PullerOptions.DEFAULT, Map.of("a", a.reader, "b", b.reader));
    }

    private static SubscribeRequest.Builder after(String marker) {
        return SubscribeRequest.newBuilder()
                .setConsumerId("test")
                .setAfter(marker)
                .setEncoding(Encoding.BSON);
    }

    private TestConsumer subscribe(PullerGrpcServer server, SubscribeRequest.Builder request) {
        TestConsumer consumer = TestConsumer.batches(server, request.build());
        open.add(consumer);
        return consumer;
    }

    private TestConsumer subscribeSingle(PullerGrpcServer server, SubscribeRequest.Builder request) {
        TestConsumer consumer = TestConsumer.single(server, request.build());
        open.add(consumer);
        return consumer;
    }

    @Test
    void replayGoesOverIntoLiveWithoutGapOrRepeat() throws Exception {
        PullerGrpcServer server = serveOne();
        List<String> expected = new ArrayList<>(a.inserts(3000));
        TestConsumer batches = subscribe(server, after(OLDEST));
        TestConsumer single = subscribeSingle(server, after(OLDEST));
        for (int k = 0; k < 100; k++) {
            expected.addAll(a.inserts(20));
        }
        assertThat(batches.takeIds(5000)).isEqualTo(expected);
        assertThat(single.takeIds(5000)).isEqualTo(expected);
        batches.assertQuiet();
        single.assertQuiet();
    }

    @Test
    void anEmptyMarkerMeansFromNow() throws Exception {
        PullerGrpcServer server = serveOne();
        a.inserts(10);
        TestConsumer consumer = subscribe(server, after("")).awaitBegin();
        List<String> fresh = a.inserts(3);
        assertThat(consumer.takeIds(3)).isEqualTo(fresh);
    }

    @Test
    void anEventHasAllItsFields() throws Exception {
        PullerGrpcServer server = serveOne();
        String id = a.append(Operation.UPDATE, "acme", "orders", "o1");
        Event event = subscribeSingle(server, after(OLDEST).setNumPartitions(64))
                .take(1)
                .getFirst();
        assertThat(event.getId()).isEqualTo(id);
        assertThat(event.getTenant()).isEqualTo("acme");
        assertThat(event.getCollection()).isEqualTo("orders");
        assertThat(event.getDocumentId()).isEqualTo("o1");
        assertThat(event.getOperationType()).isEqualTo("update");
        assertThat(new RawBsonDocument(event.getFullDocument().toByteArray())
                        .getString("_id")
                        .getValue())
                .isEqualTo("o1");
        assertThat(new RawBsonDocument(event.getUpdateDescription().toByteArray()))
                .containsKey("updatedFields");
        assertThat(new RawBsonDocument(event.getFullDocumentBeforeChange().toByteArray())
                        .getInt64("n")
                        .getValue())
                .isNegative();
        assertThat(event.getClusterTime().getT()).isEqualTo((int) a.time());
        assertThat(event.getTimestamp()).isEqualTo(a.time() * 1000);
        assertThat(event.getBackend()).isEqualTo("a");
        assertThat(event.hasTxnNumber()).isFalse();
        assertThat(event.getLookup()).isFalse();
        assertThat(event.getPartitionId()).isEqualTo(new dev.sluice.model.Partitioner(64).partitionOf("orders", "o1"));
        assertThat(ProgressMarker.decode(event.getProgress()).positions()).isEqualTo(Map.of("a", EventId.parse(id)));
    }

    @Test
    void fromEveryMarkerTheRestFollows() throws Exception {
        PullerGrpcServer server = serveTwo();
        a.inserts(30);
        b.inserts(30);
        List<Event> all = subscribe(server, after(OLDEST)).take(60);
        for (int k = 0; k < 60; k += 7) {
            List<Event> rest =
                    subscribe(server, after(all.get(k).getProgress())).take(59 - k);
            assertThat(rest)
                    .extracting(Event::getId)
                    .isEqualTo(all.subList(k + 1, 60).stream().map(Event::getId).toList());
        }
    }

    @Test
    void twoBackendsComeInOrderOfTimeAndEachInItsOwn() throws Exception {
        PullerGrpcServer server = serveTwo();
        List<String> ofA = new ArrayList<>();
        List<String> ofB = new ArrayList<>();
        for (int k = 0; k < 50; k++) {
            b.skipTo(a.time());
            ofA.addAll(a.inserts(2));
            ofB.addAll(b.inserts(2));
        }
        List<Event> all = subscribe(server, after(OLDEST)).take(200);
        assertThat(all).extracting(event -> event.getClusterTime().getT()).isSorted();
        assertThat(all.stream().filter(event -> event.getBackend().equals("a")).map(Event::getId))
                .isEqualTo(ofA);
        assertThat(all.stream().filter(event -> event.getBackend().equals("b")).map(Event::getId))
                .isEqualTo(ofB);
    }

    @Test
    void aSilentBackendIsNotWaitedForAndIsInTheMarkerFromTheStart() throws Exception {
        PullerGrpcServer server = serveTwo();
        TestConsumer consumer = subscribe(server, after("")).awaitBegin();
        a.inserts(1);
        Event event = consumer.take(1).getFirst();
        assertThat(ProgressMarker.decode(event.getProgress()).positions()).containsOnlyKeys("a", "b");
    }

    /** Row 19: a consumer that dies before its first event has a marker already. */
    @Test
    void aMarkerThatNamesAllBackendsIsSentAtOnce() throws Exception {
        PullerGrpcServer server = serveTwo();
        a.inserts(5);
        TestConsumer consumer = subscribe(server, after(""));
        String marker = consumer.progressOtherThan("");
        assertThat(ProgressMarker.decode(marker).positions()).containsOnlyKeys("a", "b");
        List<String> missed = a.inserts(2);
        assertThat(subscribe(server, after(marker)).takeIds(2)).isEqualTo(missed);
    }

    /** Without batches and heartbeats there is no message to carry it: it comes as metadata. */
    @Test
    void theFirstMarkerIsInTheHeadersToo() throws Exception {
        PullerGrpcServer server = serveTwo();
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        open.add(channel::shutdownNow);
        AtomicReference<Metadata> headers = new AtomicReference<>();
        Iterator<Event> events = PullerServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newCaptureMetadataInterceptor(headers, new AtomicReference<>()))
                .subscribe(after("").build());
        awaitUntil(() -> headers.get() != null);
        String marker = headers.get().get(ProgressHeaders.PROGRESS);
        assertThat(ProgressMarker.decode(marker).positions()).containsOnlyKeys("a", "b");
        List<String> ids = a.inserts(1);
        assertThat(events.next().getId()).isEqualTo(ids.getFirst());
    }

    @Test
    void partitionsTogetherCoverEverythingExactlyOnce() throws Exception {
        PullerGrpcServer server = serveOne();
        List<String> all = a.inserts(400);
        String drop = a.append(Operation.DROP, "", "other", "");
        Set<String> seen = new HashSet<>();
        for (int partition = 0; partition < 4; partition++) {
            TestConsumer consumer =
                    subscribe(server, after(OLDEST).addPartitions(partition).setNumPartitions(4));
            List<Event> events = new ArrayList<>();
            while (events.isEmpty() || !events.getLast().getId().equals(drop)) {
                events.addAll(consumer.take(1));
            }
            for (Event event : events.subList(0, events.size() - 1)) {
                assertThat(event.getPartitionId()).isEqualTo(partition);
                assertThat(seen.add(event.getId())).isTrue();
            }
        }
        assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void tenantsAndCollectionsAreFilteredAndTheMarkerPassesWhatIsLeftOut() throws Exception {
        PullerGrpcServer server = serveOne();
        String wanted = a.append(Operation.INSERT, "acme", "orders", "1");
        a.append(Operation.INSERT, "other", "orders", "2");
        a.append(Operation.INSERT, "acme", "users", "3");
        a.append(Operation.DELETE, "", "orders", "4");
        String resync = a.append(Operation.RESYNC, "", "users", "");
        a.append(Operation.DROP, "", "users", "");
        String last = a.append(Operation.INSERT, "other", "users", "5");
        TestConsumer consumer =
                subscribe(server, after(OLDEST).addTenants("acme").addCollections("orders"));
        assertThat(consumer.takeIds(2)).containsExactly(wanted, resync);
        String marker = consumer.progress();
        while (!ProgressMarker.decode(marker)
                .position("a")
                .orElseThrow()
                .toString()
                .equals(last)) {
            marker = consumer.progressOtherThan(marker);
        }
        consumer.assertQuiet();
    }

    @Test
    void theEmptyTenantStandsForUnknownOnes() throws Exception {
        PullerGrpcServer server = serveOne();
        a.append(Operation.INSERT, "other", "orders", "2");
        String unknown = a.append(Operation.DELETE, "", "orders", "4");
        TestConsumer consumer =
                subscribe(server, after(OLDEST).addTenants("acme").addTenants(""));
        assertThat(consumer.takeIds(1)).containsExactly(unknown);
    }

    @Test
    void twoConsumersWithOneIdGetEverythingBoth() throws Exception {
        PullerGrpcServer server = serveOne();
        TestConsumer first = subscribe(server, after("")).awaitBegin();
        TestConsumer second = subscribe(server, after("")).awaitBegin();
        List<String> ids = a.inserts(100);
        assertThat(first.takeIds(100)).isEqualTo(ids);
        assertThat(second.takeIds(100)).isEqualTo(ids);
        assertThat(server.consumers().list())
                .extracting(status -> status.label())
                .containsExactly("test", "test");
    }

    @Test
    void jsonSaysTheSameAsBson() throws Exception {
        PullerGrpcServer server = serveOne();
        a.append(Operation.UPDATE, "", "c", "x");
        Event bson = subscribe(server, after(OLDEST)).take(1).getFirst();
        Event json = subscribe(server, after(OLDEST).setEncoding(Encoding.JSON))
                .take(1)
                .getFirst();
        assertThat(BsonDocument.parse(json.getFullDocument().toStringUtf8()))
                .isEqualTo(new RawBsonDocument(bson.getFullDocument().toByteArray()));
        assertThat(BsonDocument.parse(json.getUpdateDescription().toStringUtf8()))
                .isEqualTo(new RawBsonDocument(bson.getUpdateDescription().toByteArray()));
        assertThat(BsonDocument.parse(json.getFullDocumentBeforeChange().toStringUtf8()))
                .isEqualTo(
                        new RawBsonDocument(bson.getFullDocumentBeforeChange().toByteArray()));
        Event.Builder rest = json.toBuilder();
        assertThat(rest.setFullDocument(bson.getFullDocument())
                        .setUpdateDescription(bson.getUpdateDescription())
                        .setFullDocumentBeforeChange(bson.getFullDocumentBeforeChange())
                        .build())
                .isEqualTo(bson);
    }

    @Test
    void heartbeatsCarryTheSourcesTimeAndOnlyComeWhenAskedFor() throws Exception {
        PullerGrpcServer server = serve(
                PullerOptions.DEFAULT.withLimits(StreamLimits.DEFAULT.withHeartbeat(Duration.ofMillis(50))),
                Map.of("a", a.reader, "b", b.reader));
        a.inserts(1);
        TestConsumer plain = subscribeSingle(server, after(""));
        TestConsumer consumer = subscribeSingle(server, after("").setHeartbeats(true));
        List<Event> beats = consumer.take(2);
        assertThat(beats).extracting(Event::getOperationType).containsOnly("heartbeat");
        assertThat(beats).extracting(Event::getBackend).containsExactly("a", "b");
        assertThat(ProgressMarker.decode(beats.getFirst().getProgress()).positions())
                .containsOnlyKeys("a", "b");
        a.skipTo(5000);
        a.checkpoint(3);
        Event beat = consumer.take(1).getFirst();
        while (beat.getClusterTime().getT() != 5000) {
            beat = consumer.take(1).getFirst();
        }
        assertThat(beat.getTimestamp()).isEqualTo(5_000_000);
        assertThat(EventId.parse(beat.getId()).time()).isEqualTo(ClusterTime.of(5000, 2));
        plain.assertQuiet();
    }

    @Test
    void aMarkerThatMakesNoSenseIsRefused() throws Exception {
        PullerGrpcServer server = serveOne();
        Status status = subscribe(server, after("not a marker!")).awaitStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription()).contains("marker");
        Status partition = subscribe(server, after("").addPartitions(9).setNumPartitions(4))
                .awaitStatus();
        assertThat(partition.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(partition.getDescription()).contains("no partition 9 of 4");
        Status encoding = subscribe(server, after("").setEncodingValue(7)).awaitStatus();
        assertThat(encoding.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void aMarkerThatIsTooOldIsRefusedWithTheOldestThatWorks() throws Exception {
        PullerGrpcServer server = serveTwo();
        a.inserts(50);
        List<String> ofB = b.inserts(1);
        List<Event> all = subscribe(server, after(OLDEST)).take(51);
        String early = all.getFirst().getProgress();
        a.log.evict(ClusterTime.of(a.time() - 10, 1));
        TestConsumer refused = subscribe(server, after(early));
        Status status = refused.awaitStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
        EventId own = ProgressMarker.decode(early).position("a").orElseThrow();
        assertThat(refused.untakenMarkers()).allSatisfy(marker -> assertStandsAt(own, marker));
        assertStandsAt(own, headerMarker(server, early));
        String oldest = refused.trailers().get(ProgressHeaders.OLDEST_PROGRESS);
        assertThat(status.getDescription()).contains(oldest).contains("'a'");
        List<Event> rest = subscribe(server, after(oldest)).take(10);
        assertThat(rest)
                .extracting(Event::getId)
                .isSubsetOf(all.stream().map(Event::getId).toList());
        assertThat(ofB).hasSize(1);
    }

    private static void assertStandsAt(EventId position, String marker) {
        assertThat(ProgressMarker.decode(marker).position("a")).contains(position);
    }

    private String headerMarker(PullerGrpcServer server, String after) {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        open.add(channel::shutdownNow);
        AtomicReference<Metadata> headers = new AtomicReference<>();
        Iterator<?> batches = PullerServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newCaptureMetadataInterceptor(headers, new AtomicReference<>()))
                .subscribeBatches(after(after).build());
        assertThatThrownBy(() -> batches.forEachRemaining(batch -> {})).hasMessageContaining("OUT_OF_RANGE");
        return headers.get().get(ProgressHeaders.PROGRESS);
    }

    @Test
    void nothingIsSentToOneWhoseMarkerIsTooOld() throws Exception {
        PullerGrpcServer server = serveOne();
        List<String> ids = a.inserts(50);
        String early = new ProgressMarker(Map.of("a", EventId.parse(ids.getFirst()))).encode();
        a.log.evict(ClusterTime.of(a.time() - 10, 1));
        for (boolean heartbeats : List.of(false, true)) {
            TestConsumer refused = subscribe(server, after(early).setHeartbeats(heartbeats));
            assertThat(refused.awaitStatus().getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
            assertThat(refused.untakenMarkers()).isEmpty();
        }
    }

    @Test
    void aReaderOvertakenByEvictionIsTold() throws Exception {
        PullerGrpcServer server = serve(
                PullerOptions.DEFAULT.withLimits(StreamLimits.DEFAULT.withHeartbeat(Duration.ofMillis(1))),
                Map.of("a", a.padded(8000).reader));
        a.inserts(3000);
        TestConsumer consumer =
                TestConsumer.stalled(server, after(OLDEST).setHeartbeats(true).build());
        open.add(consumer);
        awaitUntil(() -> server.consumers().list().stream().anyMatch(status -> status.events() > 0));
        a.log.evict(ClusterTime.of(a.time() - 5, 1));
        consumer.read(Integer.MAX_VALUE);
        assertThat(consumer.awaitStatus().getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
        ClusterTime evicted = a.log.state().evictedThrough().id().time();
        assertThat(consumer.untakenMarkers())
                .isNotEmpty()
                .allSatisfy(marker -> assertThat(ProgressMarker.decode(marker)
                                .position("a")
                                .orElseThrow()
                                .time())
                        .isLessThan(evicted));
    }

    @Test
    void aMarkerAheadWaitsUntilCapturePassesIt() throws Exception {
        PullerGrpcServer server = serveTwo();
        EventId future = new EventId(
                ClusterTime.of(a.time() + 2, 1),
                a.event(Operation.INSERT, "", "c", "x").hash() + 2);
        a.skipTo(a.time() - 1);
        String marker =
                new ProgressMarker(Map.of("a", future, "b", b.log.state().head().id())).encode();
        TestConsumer consumer = subscribe(server, after(marker));
        List<String> ofB = b.inserts(1);
        assertThat(consumer.takeIds(1)).as("the other backend flows").isEqualTo(ofB);
        List<String> ids = a.inserts(5);
        assertThat(ids).contains(future.toString());
        assertThat(consumer.takeIds(3)).isEqualTo(ids.subList(2, 5));
    }

    @Test
    void aMarkerAheadIsRefusedOnlyAfterAWhileAndRetryably() throws Exception {
        PullerGrpcServer server = serve(
                PullerOptions.DEFAULT.withLimits(StreamLimits.DEFAULT.withMaxAheadWait(Duration.ofMillis(200))),
                Map.of("a", a.reader));
        String marker = new ProgressMarker(Map.of("a", new EventId(ClusterTime.of(9_999_999, 1), 5))).encode();
        Status status = subscribe(server, after(marker)).awaitStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(status.getDescription()).contains("ahead");
    }

    @Test
    void anUnknownBackendInAMarkerIsIgnoredAndAMissingOneStartsAtItsOldest() throws Exception {
        PullerGrpcServer server = serveTwo();
        List<String> ofA = a.inserts(3);
        List<String> ofB = b.inserts(3);
        String marker =
                new ProgressMarker(Map.of("a", EventId.parse(ofA.get(1)), "gone", EventId.parse(ofA.get(0)))).encode();
        List<Event> events = subscribe(server, after(marker)).take(4);
        Set<String> expected = new HashSet<>(ofB);
        expected.add(ofA.get(2));
        assertThat(events).extracting(Event::getId).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(ProgressMarker.decode(events.getLast().getProgress()).positions())
                .containsOnlyKeys("a", "b");
    }

    @Test
    void tooManyConsumersAreRefusedWithASentence() throws Exception {
        PullerGrpcServer server = serve(PullerOptions.DEFAULT.withMaxConnections(2), Map.of("a", a.reader));
        subscribe(server, after("")).awaitBegin();
        TestConsumer second = subscribe(server, after("")).awaitBegin();
        Status status = subscribe(server, after("")).awaitStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(status.getDescription()).contains("2 consumers");
        second.close();
        awaitUntil(() -> server.consumers().size() == 1);
        subscribe(server, after("")).awaitBegin();
    }

    @Test
    void coalescedEventsAreOnePerDocumentAndAnUpdateBecomesAReplace() throws Exception {
        PullerGrpcServer server = serve(
                PullerOptions.DEFAULT.withLimits(StreamLimits.DEFAULT.withCatchUpThreshold(10)), Map.of("a", a.reader));
        a.append(Operation.INSERT, "", "c", "gone");
        for (int k = 0; k < 500; k++) {
            a.append(Operation.UPDATE, "", "c", "d" + k % 3);
        }
        a.append(Operation.DELETE, "", "c", "gone");
        String end = a.append(Operation.UPDATE, "", "c", "d0");
        List<Event> events =
                subscribe(server, after(OLDEST).setCoalesceOnCatchUp(true)).take(4);
        assertThat(events).extracting(Event::getDocumentId).containsExactlyInAnyOrder("d1", "d2", "gone", "d0");
        Map<String, String> operations = new HashMap<>();
        events.forEach(event -> operations.put(event.getDocumentId(), event.getOperationType()));
        assertThat(operations).isEqualTo(Map.of("d0", "replace", "d1", "replace", "d2", "replace", "gone", "delete"));
        assertThat(events)
                .allSatisfy(event ->
                        assertThat(event.getUpdateDescription().isEmpty()).isTrue());
        assertThat(events)
                .allSatisfy(
                        event -> assertThat(event.getFullDocumentBeforeChange().isEmpty())
                                .isTrue());
        assertThat(events.getLast().getId()).isEqualTo(end);
    }

    @Test
    void aDocumentOfSixteenMegabytesGetsThrough() throws Exception {
        PullerGrpcServer server = serve(PullerOptions.DEFAULT, Map.of("a", a.padded((16 << 20) - 200).reader));
        a.inserts(1);
        assertThat(subscribe(server, after(OLDEST))
                        .take(1)
                        .getFirst()
                        .getFullDocument()
                        .size())
                .isGreaterThan(16 << 20 - 1000);
    }

    @Test
    void stoppingEndsStreamsWithAStatusToTryAgain() throws Exception {
        PullerGrpcServer server = serveOne();
        TestConsumer consumer = subscribe(server, after("")).awaitBegin();
        server.close();
        Status status = consumer.awaitStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(status.getDescription()).contains("connect again");
    }

    @Test
    void stoppingIsNoErrorAndLosingOnesPlaceIs() throws Exception {
        AtomicInteger errors = new AtomicInteger();
        PullerGrpcServer server = serve(
                PullerOptions.DEFAULT.withMeter(new StreamMeter() {
                    @Override
                    public void publishError() {
                        errors.incrementAndGet();
                    }
                }),
                Map.of("a", a.reader));
        subscribe(server, after("")).awaitBegin().close();
        awaitUntil(() -> server.consumers().size() == 0);
        assertThat(errors).as("the consumer left").hasValue(0);
        TestConsumer early = subscribe(server, after(""));
        String marker = early.progressOtherThan("");
        server.close();
        assertThat(early.awaitStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(errors).as("the server stopped").hasValue(0);

        PullerGrpcServer again = serve(
                PullerOptions.DEFAULT.withMeter(new StreamMeter() {
                    @Override
                    public void publishError() {
                        errors.incrementAndGet();
                    }
                }),
                Map.of("a", a.reader));
        a.inserts(20);
        a.log.evict(ClusterTime.of(a.time() - 5, 1));
        assertThat(subscribe(again, after(marker)).awaitStatus().getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
        assertThat(errors).hasValue(1);
    }

    /**
     * Row 19 without batches and heartbeats: an event brings a marker past everything left out before it, and a stream
     * that ends says how far it came.
     */
    @Test
    void withoutBatchesTheMarkerOfWhatWasLeftOutComesWithTheNextEventOrAtTheEnd() throws Exception {
        PullerGrpcServer server = serveTwo();
        TestConsumer consumer = subscribeSingle(server, after("").addCollections("wanted"));
        awaitUntil(() -> server.consumers().list().stream()
                .anyMatch(status -> !status.positions().isEmpty()));
        String unwanted = b.append(Operation.INSERT, "", "other", "1");
        awaitUntil(() -> positionIn(server, "b").equals(unwanted));
        a.append(Operation.INSERT, "", "wanted", "2");
        Event event = consumer.take(1).getFirst();
        assertThat(ProgressMarker.decode(event.getProgress()).position("b")).contains(EventId.parse(unwanted));
        String last = a.append(Operation.INSERT, "", "other", "3");
        awaitUntil(() -> positionIn(server, "a").equals(last));
        server.close();
        assertThat(consumer.awaitStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        ProgressMarker end = ProgressMarker.decode(consumer.trailers().get(ProgressHeaders.PROGRESS));
        assertThat(end.positions()).isEqualTo(Map.of("a", EventId.parse(last), "b", EventId.parse(unwanted)));
        consumer.assertQuiet();
    }

    /** A fault behind half a batch: what was laid out and not sent is not in the marker that the call ends with. */
    @Test
    void afterAFaultTheTrailersCarryTheLastMarkerSent() throws Exception {
        FailingReads failing = new FailingReads(a.log);
        PullerGrpcServer server = serve(PullerOptions.DEFAULT, Map.of("a", new LogReader(failing, a.tail)));
        List<String> wanted = new ArrayList<>();
        for (int k = 0; k < 2_500; k++) {
            String collection = k < 499 || k >= 1_000 ? "wanted" : "other";
            String id = a.append(Operation.INSERT, "", collection, "d" + k);
            if (collection.equals("wanted")) {
                wanted.add(id);
            }
        }
        failing.failAfter(1);
        TestConsumer consumer = subscribe(server, after(OLDEST).addCollections("wanted"));
        assertThat(consumer.awaitStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
        List<String> got = new ArrayList<>(consumer.receivedIds());
        String marker = consumer.trailers().get(ProgressHeaders.PROGRESS);
        if (!got.isEmpty()) {
            assertThat(marker).isEqualTo(consumer.progress());
        }
        got.addAll(subscribe(server, after(marker).addCollections("wanted")).takeIds(wanted.size() - got.size()));
        assertThat(got).isEqualTo(wanted);
    }

    private static String positionIn(PullerGrpcServer server, String backend) {
        return server.consumers().list().stream()
                .flatMap(status -> status.positions().stream())
                .filter(position -> position.backend().equals(backend))
                .map(position -> position.passed().toString())
                .findFirst()
                .orElse("");
    }

    @Test
    void aRequestThatNamesTooMuchIsRefusedAndCostsNothing() throws Exception {
        PullerGrpcServer server = serveOne();
        SubscribeRequest.Builder request = after("");
        for (int k = 0; k < 50_000; k++) {
            request.addTenants("t" + k);
        }
        Status status = subscribe(server, request).awaitStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription()).contains("50000 tenants");
        assertThat(server.consumers().size()).isZero();
    }

    @Test
    void reflectionAndHealthAreOn() throws Exception {
        PullerGrpcServer server = serveOne();
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        open.add(channel::shutdownNow);
        assertThat(health(channel)).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
        server.serving(false);
        assertThat(health(channel)).isEqualTo(HealthCheckResponse.ServingStatus.NOT_SERVING);
        CompletableFuture<ServerReflectionResponse> answer = new CompletableFuture<>();
        ServerReflectionGrpc.newStub(channel)
                .serverReflectionInfo(new StreamObserver<>() {
                    @Override
                    public void onNext(ServerReflectionResponse response) {
                        answer.complete(response);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        answer.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {}
                })
                .onNext(ServerReflectionRequest.newBuilder()
                        .setFileContainingSymbol("sluice.puller.v1.PullerService")
                        .build());
        assertThat(answer.get(20, TimeUnit.SECONDS).getFileDescriptorResponse().getFileDescriptorProtoCount())
                .isEqualTo(1);
    }

    private static HealthCheckResponse.ServingStatus health(ManagedChannel channel) {
        return HealthGrpc.newBlockingStub(channel)
                .check(HealthCheckRequest.newBuilder()
                        .setService("sluice.puller.v1.PullerService")
                        .build())
                .getStatus();
    }

    @Test
    void aForeignAddressNeedsProtection() {
        assertThatThrownBy(() -> PullerGrpcServer.start(
                        new ListenAddress("0.0.0.0", 0), ServerSecurity.NONE, Map.of(), PullerOptions.DEFAULT))
                .isInstanceOf(BindRefusedException.class);
    }

    static void awaitUntil(java.util.function.BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
            Thread.sleep(10);
        }
    }
}
