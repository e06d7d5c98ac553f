package dev.sluice.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Homes.Unclaimed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Whatever changes in whatever order, and whichever write fails, happened or not: a follower that applies the changes in
 * their order has the records; a restart finds what was shown, or one more change that nobody was told; and revisions
 * only rise.
 */
class RegistryViewPropertiesTest {
    private static final int STEPS = 120;
    private static final List<String> GATEWAYS = List.of("", "g0", "g1", "g2");

    private final KnownHeads heads = new KnownHeads();
    private Registries.FailingStore store = new Registries.FailingStore();
    private Registries here = open();
    private final Map<String, SubscriptionRecord> followed = new TreeMap<>();
    private long applied;

    private Registries open() {
        return new Registries(new SubscriptionQuotas(12, 30, 20), store, new Homes(Unclaimed.SHARE), heads);
    }

    @Property(tries = 80)
    void aFollowerHasTheRecords(@ForAll long seed) {
        store = new Registries.FailingStore();
        here = open();
        followed.clear();
        applied = 0;
        Random random = new Random(seed);
        for (int k = 0; k < STEPS; k++) {
            heads.head = 1 + random.nextInt(1000);
            store.fails = random.nextInt(12) == 0;
            store.failsAfterwards = random.nextInt(12) == 0;
            try {
                step(random);
            } catch (SubscriptionStoreException expected) {
                assertThat(here.subscriptions.view().revision()).isEqualTo(applied);
            }
            store.fails = false;
            store.failsAfterwards = false;
            follow();
            if (random.nextInt(15) == 0) {
                restart();
            }
        }
    }

    private void step(Random random) {
        switch (random.nextInt(6)) {
            case 0, 1 -> register(random);
            case 2 -> here.subscriptions.remove(List.of(id(random), id(random)));
            case 3 -> here.subscriptions.resync(List.of(id(random), id(random)));
            case 4 -> here.gateways.register(Registries.gateway(GATEWAYS.get(1 + random.nextInt(3))));
            default -> here.gateways.remove(GATEWAYS.get(1 + random.nextInt(3)));
        }
    }

    private void register(Random random) {
        List<Subscription> batch = new ArrayList<>();
        for (int k = random.nextInt(4); k >= 0; k--) {
            Subscription next = Registries.living(
                    id(random), GATEWAYS.get(random.nextInt(4)), Subscription.DEFAULT_TTL, random.nextBoolean());
            batch.add(
                    random.nextInt(4) == 0
                            ? next.startingAt(Optional.of(KnownHeads.marker(random.nextInt(1000))))
                            : next);
        }
        here.subscriptions.register(batch);
    }

    private static String id(Random random) {
        return "s" + random.nextInt(25);
    }

    private void follow() {
        RegistryView view = here.subscriptions.view();
        List<RegistryChange> changes = view.changesAfter(applied, Integer.MAX_VALUE);
        assertThat(changes).isNotNull();
        for (RegistryChange change : changes) {
            assertThat(change.revision()).isGreaterThan(applied);
            assertThat(change.before()).isEqualTo(followed.get(change.id()));
            SubscriptionRecord now = change.now();
            if (now == null) {
                followed.remove(change.id());
            } else {
                assertThat(now.revision()).isEqualTo(change.revision());
                assertThat(now.changes()).hasSizeLessThanOrEqualTo(SubscriptionRecord.CHANGES_KEPT);
                followed.put(change.id(), now);
            }
            applied = change.revision();
        }
        assertThat(view.revision()).isEqualTo(applied);
        assertThat(records(view)).isEqualTo(followed);
        Map<Home, List<String>> byHome = new HashMap<>();
        followed.values()
                .forEach(each -> byHome.computeIfAbsent(each.home(), home -> new ArrayList<>())
                        .add(each.id()));
        assertThat(view.homes()).containsExactlyInAnyOrderElementsOf(byHome.keySet());
        byHome.forEach((home, ids) -> {
            List<String> found = new ArrayList<>();
            view.forEachOf(home, each -> found.add(each.id()));
            assertThat(found).containsExactlyInAnyOrderElementsOf(ids);
        });
    }

    private static Map<String, SubscriptionRecord> records(RegistryView view) {
        Map<String, SubscriptionRecord> all = new TreeMap<>();
        view.forEach(each -> assertThat(all.put(each.id(), each)).isNull());
        all.forEach((id, record) -> assertThat(view.find(id)).isSameAs(record));
        return all;
    }

    /** What differs from what was shown is of one write that failed, with revisions above all that were shown. */
    private void restart() {
        here = open();
        RegistryView view = here.subscriptions.view();
        assertThat(view.revision()).isGreaterThanOrEqualTo(applied);
        Map<String, SubscriptionRecord> found = records(view);
        found.forEach((id, record) -> {
            if (!record.equals(followed.get(id))) {
                assertThat(record.revision()).isGreaterThan(applied);
            }
        });
        followed.forEach((id, record) -> {
            if (!found.containsKey(id)) {
                assertThat(view.revision()).isGreaterThan(applied);
            }
        });
        followed.clear();
        followed.putAll(found);
        applied = view.revision();
        while (here.subscriptions.rehome() > 0) {}
        follow();
        followed.values()
                .forEach(each -> assertThat(each.home())
                        .isEqualTo(new Homes(Unclaimed.SHARE).of(each.definition(), here.gateways::isRegistered)));
    }
}
