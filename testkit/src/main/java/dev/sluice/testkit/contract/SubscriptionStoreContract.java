package dev.sluice.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.SubscriptionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        store.save(List.of(everything, large, nowhere));
        assertThat(all()).containsExactly(large, nowhere, everything);
        store = reopen(store);
        assertThat(all()).containsExactly(large, nowhere, everything);
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
        store.remove(List.of(numbered(1, "a").id(), "never", numbered(3, "a").id()));
        store.remove(List.of(numbered(1, "a").id()));
        store.remove(List.of());
        store.save(List.of());
        assertThat(all()).containsExactly(numbered(2, "a"));
        store = reopen(store);
        assertThat(all()).containsExactly(numbered(2, "a"));
    }

    @Test
    protected void aGatewayIsKeptByItsIdAndNoSubscriptionGetsInItsWay() {
        GatewayAddress first = new GatewayAddress("g", Protocol.HTTP, "http://localhost:1");
        GatewayAddress moved = new GatewayAddress("g", Protocol.KAFKA, "localhost:9092/changes.{tenant}");
        GatewayAddress other = new GatewayAddress("h", Protocol.NATS, "nats://localhost");
        store.saveGateway(first);
        store.saveGateway(other);
        store.saveGateway(moved);
        store.save(List.of(Subscription.of("g", "g", "", "c", "{}")));
        store.remove(List.of("h"));
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
                        List<Subscription> batch = batch(1000 * writer + 100 * k, 100);
                        store.save(batch);
                        store.remove(batch.subList(50, 100).stream()
                                .map(Subscription::id)
                                .toList());
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
        assertThat(all()).hasSize(1000);
        store = reopen(store);
        assertThat(all()).hasSize(1000);
    }

    private static List<Subscription> batch(int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(k -> numbered(k, "x"))
                .toList();
    }

    private static Subscription numbered(int number, String value) {
        return Subscription.of(String.format("s%06d", number), "g", "t", "c", "{\"a\":\"" + value + "\"}");
    }

    private List<Subscription> all() {
        List<Subscription> all = new ArrayList<>();
        store.load(all::add);
        return all;
    }
}
