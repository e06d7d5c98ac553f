package dev.sluice.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.RegistryMark;
import dev.sluice.subscribe.SubscriptionRecord;
import dev.sluice.subscribe.SubscriptionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link SubscriptionStore} promises. */
public abstract class SubscriptionStoreContract {
    private SubscriptionStore store = new InMemorySubscriptions();

    /** An empty store, of this test alone. */
    protected abstract SubscriptionStore open();

    /** Closes it and opens it again, as the next process would. */
    protected abstract SubscriptionStore reopen(SubscriptionStore store);

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    protected void nothingIsThereAtFirst() {
        assertThat(all()).isEmpty();
        assertThat(store.gateways()).isEmpty();
        assertThat(mark().revision()).isZero();
    }

    @Test
    protected void theIdentityIsKeptAndAnotherStoreHasAnother() {
        long identity = mark().identity();
        assertThat(identity).isNotZero();
        store.save(List.of(numbered(1, "a")));
        store = reopen(store);
        assertThat(mark().identity()).isEqualTo(identity);
    }

    @Test
    protected void theHighestRevisionNeverFallsBack() {
        store.save(List.of(numbered(1, "a", 7), numbered(2, "a", 5)));
        assertThat(mark().revision()).isEqualTo(7);
        store.remove(List.of(numbered(1, "a").id()), 9);
        store.save(List.of(numbered(2, "b", 6)));
        store.remove(List.of("never"), 3);
        assertThat(mark().revision()).isEqualTo(9);
        store = reopen(store);
        assertThat(mark().revision()).isEqualTo(9);
        assertThat(all()).containsExactly(numbered(2, "b", 6));
        store.remove(List.of(numbered(2, "b").id()), 10);
        store = reopen(store);
        assertThat(all()).isEmpty();
        assertThat(mark().revision()).isEqualTo(10);
    }

    @Test
    protected void whatWasSavedIsThereWholeForWhoeverOpensItLater() {
        Subscription everything = new Subscription(
                "zürich/\"1\"\uD83D\uDE00",
                "gateway-1",
                "tenant",
                "orders",
                Optional.of(""),
                "{\"a\":{\"$gt\":1}}",
                Priority.HIGH,
                Duration.ofSeconds(3600),
                Optional.of(new ProgressMarker(Map.of("main", new EventId(ClusterTime.of(0xFFFF_FFFFL, 7), -1L)))),
                true,
                true);
        Subscription large = Subscription.of("large", "", "", "c", "{\"a\":\"" + "é".repeat(60_000) + "\"}");
        Subscription nowhere =
                Subscription.of("nowhere", "", "", "c", "{}").startingAt(Optional.of(ProgressMarker.NOWHERE));
        Places start = places(new Position(new EventId(ClusterTime.of(0xFFFF_FFFFL, 7), -1L), Integer.MAX_VALUE));
        Places since = places(new Position(new EventId(ClusterTime.of(1, 0), 0x8000_0000_0000_0000L), 0));
        List<SubscriptionRecord> records = List.of(
                new SubscriptionRecord(
                        everything,
                        new Home.Gateway("gateway-1"),
                        3,
                        Long.MAX_VALUE,
                        start,
                        List.of(
                                new SubscriptionRecord.Change(4, since),
                                new SubscriptionRecord.Change(5, Places.OLDEST)),
                        9),
                new SubscriptionRecord(large, new Home.Share(63), 1, 2, since, List.of(), 0),
                new SubscriptionRecord(nowhere, Home.BROADCAST, 1, 1, Places.OLDEST, List.of(), 0));
        store.save(records);
        assertThat(all()).containsExactly(records.get(1), records.get(2), records.get(0));
        store = reopen(store);
        assertThat(all()).containsExactly(records.get(1), records.get(2), records.get(0));
    }

    @Test
    protected void theLastSaveOfAnIdCountsAlsoWithinOneCall() {
        store.save(List.of(numbered(1, "a"), numbered(1, "b"), numbered(2, "a")));
        assertThat(all()).containsExactly(numbered(1, "b"), numbered(2, "a"));
        store.save(List.of(numbered(2, "c")));
        assertThat(all()).containsExactly(numbered(1, "b"), numbered(2, "c"));
        store = reopen(store);
        assertThat(all()).containsExactly(numbered(1, "b"), numbered(2, "c"));
    }

    @Test
    protected void whatWasRemovedIsGoneAndRemovingItTwiceIsHarmless() {
        store.save(List.of(numbered(1, "a"), numbered(2, "a"), numbered(3, "a")));
        store.remove(List.of(numbered(1, "a").id(), "never", numbered(3, "a").id()), 2);
        store.remove(List.of(numbered(1, "a").id()), 3);
        store.remove(List.of(), 3);
        store.save(List.of());
        assertThat(all()).containsExactly(numbered(2, "a"));
        store = reopen(store);
        assertThat(all()).containsExactly(numbered(2, "a"));
    }

    @Test
    protected void aGatewayIsKeptByItsIdAndNoSubscriptionGetsInItsWay() {
        GatewayAddress first = new GatewayAddress("g", Protocol.HTTP, "http://localhost:1");
        GatewayAddress moved = new GatewayAddress("g", Protocol.KAFKA, "localhost:9092/changes.{tenant}");
        GatewayAddress other = new GatewayAddress("h", Protocol.NATS, "nats://localhost", true);
        store.saveGateway(first);
        store.saveGateway(other);
        store.saveGateway(moved);
        store.save(List.of(record(Subscription.of("g", "g", "", "c", "{}"), 1)));
        store.remove(List.of("h"), 2);
        assertThat(store.gateways()).containsExactly(moved, other);
        store = reopen(store);
        assertThat(store.gateways()).containsExactly(moved, other);
        store.removeGateway("g");
        store.removeGateway("g");
        assertThat(store.gateways()).containsExactly(other);
        assertThat(all()).hasSize(1);
        store = reopen(store);
        assertThat(store.gateways()).containsExactly(other);
    }

    @Test
    protected void manyThreadsMaySaveAndRemoveAtOnce() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int w = 0; w < 4; w++) {
                int writer = w;
                writers.add(threads.submit(() -> {
                    for (int k = 0; k < 5; k++) {
                        List<SubscriptionRecord> batch = batch(1000 * writer + 100 * k, 100);
                        store.save(batch);
                        store.remove(
                                batch.subList(50, 100).stream()
                                        .map(SubscriptionRecord::id)
                                        .toList(),
                                1000 * writer + k);
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
        assertThat(all()).hasSize(1000);
        assertThat(mark().revision()).isEqualTo(3004);
        store = reopen(store);
        assertThat(all()).hasSize(1000);
        assertThat(mark().revision()).isEqualTo(3004);
    }

    private static List<SubscriptionRecord> batch(int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(k -> numbered(k, "x"))
                .toList();
    }

    private static SubscriptionRecord numbered(int number, String value) {
        return numbered(number, value, 1);
    }

    private static SubscriptionRecord numbered(int number, String value, long revision) {
        String id = String.format("s%06d", number);
        return record(Subscription.of(id, "g", "t", "c", "{\"a\":\"" + value + "\"}"), revision);
    }

    private static SubscriptionRecord record(Subscription definition, long revision) {
        return new SubscriptionRecord(definition, new Home.Gateway("g"), 1, revision, Places.OLDEST, List.of(), 0);
    }

    private static Places places(Position position) {
        return new Places(new TreeMap<>(
                Map.of("main", new Places.Place(-1L, position), "other", new Places.Place(0, Position.START))));
    }

    private RegistryMark mark() {
        return store.load(each -> {});
    }

    private List<SubscriptionRecord> all() {
        List<SubscriptionRecord> all = new ArrayList<>();
        store.load(all::add);
        return all;
    }
}
