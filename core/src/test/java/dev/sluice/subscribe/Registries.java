package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Places;
import dev.sluice.model.Priority;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** Both registries over one store, a clock that a test moves, and ears that write down what they hear. */
final class Registries {
    final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5_000_000_000L);
    final FailingStore store;
    final GatewayRegistry gateways;
    final SubscriptionRegistry subscriptions;
    final List<String> heard = new ArrayList<>();
    private long seen;

    Registries() {
        this(SubscriptionQuotas.DEFAULT);
    }

    Registries(SubscriptionQuotas quotas) {
        this(quotas, new FailingStore());
    }

    Registries(SubscriptionQuotas quotas, FailingStore store) {
        this(quotas, store, new Homes(Homes.Unclaimed.WAIT), () -> Places.OLDEST);
        hear();
    }

    /** With nobody who listens. */
    Registries(SubscriptionQuotas quotas, FailingStore store, Homes homes, LogHeads heads) {
        this.store = store;
        gateways = new GatewayRegistry(GatewayLeases.DEFAULT, store, nanos::get);
        subscriptions = new SubscriptionRegistry(
                quotas, store, gateways, nanos::get, homes, heads, () -> Instant.ofEpochSecond(1_000_000));
    }

    private void hear() {
        gateways.listen(new GatewayListener() {
            @Override
            public void up(GatewayAddress gateway) {
                heard.add("up " + gateway.id() + " at " + gateway.endpoint());
            }

            @Override
            public void registeredAgain(GatewayAddress gateway) {
                heard.add("again " + gateway.id());
            }

            @Override
            public void away(String gatewayId) {
                heard.add("away " + gatewayId);
            }

            @Override
            public void gone(String gatewayId) {
                heard.add("gone " + gatewayId);
            }
        });
        seen = subscriptions.view().revision();
        subscriptions.view().onChange(this::follow);
    }

    private void follow() {
        List<RegistryChange> changes = subscriptions.view().changesAfter(seen, Integer.MAX_VALUE);
        for (RegistryChange change : changes == null ? List.<RegistryChange>of() : changes) {
            String what = change.end() != null ? change.end().name() : change.before() == null ? "add" : "replace";
            heard.add(what + " " + change.id() + " shown " + matches().contains(change.id()));
            seen = change.revision();
        }
    }

    /** What a restart finds. */
    Registries restarted() {
        return new Registries(SubscriptionQuotas.DEFAULT, store);
    }

    void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        gateways.step();
        while (subscriptions.expire() > 0) {}
    }

    List<String> heard() {
        List<String> all = List.copyOf(heard);
        heard.clear();
        return all;
    }

    /** Ids of the subscriptions that a document <code>{a: "1"}</code> of tenant t in collection c concerns. */
    Set<String> matches() {
        ChangeEvent event = new ChangeEvent(
                new EventId(ClusterTime.of(1, 1), 1),
                "main",
                Operation.INSERT,
                "t",
                "c",
                DocumentId.of(new BsonString("d")),
                RawBson.of(new BsonDocument("a", new BsonString("1"))),
                null,
                1,
                OptionalLong.empty(),
                false);
        Set<String> ids = new TreeSet<>();
        subscriptions.matcher().match(event, (subscription, kind) -> ids.add(subscription.id()));
        return ids;
    }

    static Subscription subscription(String id, String gateway) {
        return Subscription.of(id, gateway, "t", "c", "{\"a\":\"1\"}");
    }

    static Subscription living(String id, String gateway, Duration ttl, boolean failover) {
        return new Subscription(
                id, gateway, "t", "c", Optional.empty(), "{}", Priority.NORMAL, ttl, Optional.empty(), failover, false);
    }

    static GatewayAddress gateway(String id) {
        return new GatewayAddress(id, Protocol.HTTP, "http://localhost:1");
    }

    /** Keeps them in memory, until it is told to fail. */
    static final class FailingStore implements SubscriptionStore {
        private final InMemorySubscriptions kept = new InMemorySubscriptions();
        boolean fails;
        /** The next write happens, and fails all the same. */
        boolean failsAfterwards;

        int saves;
        volatile Runnable beforeSave = () -> {};

        private void check() {
            if (fails) {
                throw new SubscriptionStoreException("the disk is full", null);
            }
        }

        private void checkAfter() {
            if (failsAfterwards) {
                failsAfterwards = false;
                throw new SubscriptionStoreException("the disk did not answer", null);
            }
        }

        @Override
        public void save(Collection<SubscriptionRecord> records) {
            beforeSave.run();
            check();
            saves++;
            kept.save(records);
            checkAfter();
        }

        @Override
        public void remove(Collection<String> ids, long revision) {
            check();
            kept.remove(ids, revision);
            checkAfter();
        }

        @Override
        public RegistryMark load(Consumer<SubscriptionRecord> each) {
            return kept.load(each);
        }

        @Override
        public void saveGateway(GatewayAddress gateway) {
            check();
            kept.saveGateway(gateway);
        }

        @Override
        public void removeGateway(String id) {
            check();
            kept.removeGateway(id);
        }

        @Override
        public List<GatewayAddress> gateways() {
            return kept.gateways();
        }

        @Override
        public void close() {}
    }
}
