package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Places;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.RegistryView;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRecord;
import dev.sluice.subscribe.SubscriptionRegistry;
import dev.sluice.subscribe.SubscriptionStore;
import dev.sluice.subscribe.SubscriptionStoreException;
import dev.sluice.testkit.contract.SubscriptionStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksSubscriptionsTest extends SubscriptionStoreContract {
    @TempDir
    Path path;

    @Override
    protected SubscriptionStore open() {
        return new RocksSubscriptions(path.resolve("kept"));
    }

    @Override
    protected SubscriptionStore reopen(SubscriptionStore store) {
        store.close();
        return open();
    }

    @Test
    void aSecondProcessIsToldThatItIsInUse() {
        assertThatThrownBy(this::open)
                .isInstanceOf(SubscriptionStoreException.class)
                .hasMessageContaining("in use by another process");
    }

    @Test
    void closedItSaysSoAndClosingTwiceIsHarmless() {
        Path other = path.resolve("other");
        RocksSubscriptions store = new RocksSubscriptions(other);
        store.close();
        store.close();
        assertThatThrownBy(store::gateways)
                .isInstanceOf(SubscriptionStoreException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> store.remove(List.of("a"), 1)).isInstanceOf(SubscriptionStoreException.class);
    }

    @Test
    void anUnknownFormatIsRefusedAndLeftAsItIs() throws Exception {
        Path other = path.resolve("future");
        new RocksSubscriptions(other).close();
        KeptTablesOf.writeFormat(other, List.of("subscriptions", "gateways"), 3);
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> new RocksSubscriptions(other))
                    .isInstanceOf(SubscriptionStoreException.class)
                    .hasMessageContaining("format 3")
                    .hasMessageContaining("run the version that wrote them");
        }
    }

    @Test
    void whatVersionOneWroteIsCarriedOver() throws Exception {
        Path other = path.resolve("old");
        new RocksSubscriptions(other).close();
        List<String> families = List.of("subscriptions", "gateways");
        ProgressMarker from = new ProgressMarker(Map.of("main", new EventId(ClusterTime.of(7, 1), 9)));
        RecordWriter old = new RecordWriter();
        old.text(2, "g");
        old.text(4, "c");
        old.text(6, "{}");
        old.number(8, 60);
        old.text(9, from.encode());
        KeptTablesOf.put(other, families, "a", old.record());
        KeptTablesOf.writeFormat(other, families, 1);
        for (int round = 0; round < 2; round++) {
            try (RocksSubscriptions store = new RocksSubscriptions(other)) {
                RegistryView view = registry(store).view();
                SubscriptionRecord record = Objects.requireNonNull(view.find("a"));
                assertThat(record.created()).isEqualTo(1);
                assertThat(record.revision()).isEqualTo(1);
                assertThat(record.start()).isEqualTo(Places.of(from));
                assertThat(record.home()).isEqualTo(new Home.Gateway("g"));
                assertThat(view.revision()).isEqualTo(1);
                assertThat(view.identity()).isNotZero();
            }
        }
    }

    @Test
    void aDamagedFileIsRefusedByName() throws IOException {
        Path other = path.resolve("damaged");
        try (RocksSubscriptions store = new RocksSubscriptions(other)) {
            store.save(List.of(Records.of(Subscription.of("a", "", "", "c", "{}"), 1)));
        }
        Files.delete(other.resolve("CURRENT"));
        assertThatThrownBy(() -> new RocksSubscriptions(other))
                .isInstanceOf(SubscriptionStoreException.class)
                .hasMessageContaining("CURRENT is missing");
    }

    @Test
    void aRegistryComesBackFromDiskWithinSeconds() {
        int many = 20_000;
        try (RocksSubscriptions store = new RocksSubscriptions(path.resolve("many"))) {
            SubscriptionRegistry registry = registry(store);
            long begun = System.nanoTime();
            for (int k = 0; k < many; k += 5_000) {
                registry.register(batch(k, 5_000));
            }
            System.out.println("registered " + many + " in " + (System.nanoTime() - begun) / 1_000_000 + " ms");
        }
        try (RocksSubscriptions store = new RocksSubscriptions(path.resolve("many"))) {
            long begun = System.nanoTime();
            assertThat(registry(store).size()).isEqualTo(many);
            System.out.println("loaded " + many + " in " + (System.nanoTime() - begun) / 1_000_000 + " ms");
        }
    }

    private static SubscriptionRegistry registry(SubscriptionStore store) {
        GatewayRegistry gateways = new GatewayRegistry(GatewayLeases.DEFAULT, store, System::nanoTime);
        return new SubscriptionRegistry(
                SubscriptionQuotas.DEFAULT,
                store,
                gateways,
                System::nanoTime,
                new Homes(Homes.Unclaimed.WAIT),
                () -> Places.OLDEST,
                InstantSource.system());
    }

    private static List<Subscription> batch(int from, int count) {
        List<Subscription> batch = new ArrayList<>();
        for (int k = from; k < from + count; k++) {
            batch.add(Subscription.of("s-" + k, "g" + k % 100, "t" + k % 50, "c" + k % 10, "{\"a\":" + k + "}"));
        }
        return batch;
    }
}
