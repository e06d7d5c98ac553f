package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.Subscription;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import dev.sluice.subscribe.SubscriptionStore;
import dev.sluice.subscribe.SubscriptionStoreException;
import dev.sluice.testkit.contract.SubscriptionStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        assertThatThrownBy(() -> store.remove(List.of("a"))).isInstanceOf(SubscriptionStoreException.class);
    }

    @Test
    void anUnknownFormatIsRefusedAndLeftAsItIs() throws Exception {
        Path other = path.resolve("future");
        new RocksSubscriptions(other).close();
        KeptTablesOf.writeFormat(other, List.of("subscriptions", "gateways"), 2);
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> new RocksSubscriptions(other))
                    .isInstanceOf(SubscriptionStoreException.class)
                    .hasMessageContaining("format 2")
                    .hasMessageContaining("run the version that wrote them");
        }
    }

    @Test
    void aDamagedFileIsRefusedByName() throws IOException {
        Path other = path.resolve("damaged");
        try (RocksSubscriptions store = new RocksSubscriptions(other)) {
            store.save(List.of(Subscription.of("a", "", "", "c", "{}")));
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
        return new SubscriptionRegistry(SubscriptionQuotas.DEFAULT, store, gateways, System::nanoTime);
    }

    private static List<Subscription> batch(int from, int count) {
        List<Subscription> batch = new ArrayList<>();
        for (int k = from; k < from + count; k++) {
            batch.add(Subscription.of("s-" + k, "g" + k % 100, "t" + k % 50, "c" + k % 10, "{\"a\":" + k + "}"));
        }
        return batch;
    }
}
