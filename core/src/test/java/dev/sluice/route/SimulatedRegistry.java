package dev.sluice.route;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.lane.Router;
import dev.sluice.lane.RoutingMode;
import dev.sluice.match.Matcher;
import dev.sluice.match.SubscriptionIndex;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.RegistryChange;
import dev.sluice.subscribe.RegistryView;
import dev.sluice.subscribe.SubscriptionEnd;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Records that survive a crash, by the rules of the real registry. What is stored may be shown later, as by a late watch. */
final class SimulatedRegistry implements RegistryView {
    /** As they are stored. */
    final Map<String, Subscription> byId = new TreeMap<>();

    final Map<String, SubscriptionRecord> stored = new TreeMap<>();
    final Set<String> gateways = new HashSet<>();
    private final Map<String, SubscriptionRecord> shown = new TreeMap<>();
    private final SubscriptionIndex index = new SubscriptionIndex();
    private final List<RegistryChange> ring = new ArrayList<>();
    private final ArrayDeque<RegistryChange> unshown = new ArrayDeque<>();
    private final List<Runnable> watchers = new ArrayList<>();
    private final RoutingMode mode;
    private final SimulatedFeed feed;
    private long revision;
    private long shownRevision;
    private long forgotten;

    /** Changes are stored and answered, and nobody hears of them. */
    boolean late;

    /** The store does not say what is stored. */
    boolean away;

    long identity = 5;

    /** Runs before work that reads, when no other does: the last moment at which another thread may change something. */
    Runnable beforeReading = () -> {};

    /** Runs when changes that are asked for are no longer kept. */
    Runnable onRescan = () -> {};

    private int reading;

    SimulatedRegistry(RoutingMode mode, SimulatedFeed feed) {
        this.mode = mode;
        this.feed = feed;
    }

    void add(Subscription asked) {
        SubscriptionRecord before = stored.get(asked.id());
        Subscription definition = asked.startingAt(Optional.empty());
        Places since = feed.heard();
        if (before == null || asked.from().isPresent()) {
            revision++;
            Places start = asked.from().map(from -> resolved(Places.of(from))).orElse(since);
            store(new SubscriptionRecord(definition, home(definition), revision, revision, start, List.of(), 0));
        } else if (!before.definition().equals(definition)) {
            change(before, definition, home(definition), since);
        }
    }

    private Places resolved(Places asked) {
        TreeMap<String, Places.Place> places = new TreeMap<>();
        asked.byLog().forEach((log, place) -> {
            var head = feed.heads().get(log);
            if (head != null) {
                Position position = feed.resolve(place.position().id());
                places.put(log, new Places.Place(head.identity(), position));
            }
        });
        return new Places(places);
    }

    private void change(SubscriptionRecord before, Subscription definition, Home home, Places since) {
        revision++;
        List<SubscriptionRecord.Change> changes = new ArrayList<>(before.changes());
        changes.add(new SubscriptionRecord.Change(revision, since));
        if (changes.size() > SubscriptionRecord.CHANGES_KEPT) {
            SubscriptionRecord.Change eldest = changes.removeFirst();
            SubscriptionRecord.Change next = changes.removeFirst();
            changes.addFirst(new SubscriptionRecord.Change(
                    next.revision(), eldest.since().lower(next.since())));
        }
        store(new SubscriptionRecord(
                definition, home, before.created(), revision, before.start(), changes, before.resync()));
    }

    void resync(String id) {
        SubscriptionRecord before = stored.get(id);
        if (before != null) {
            revision++;
            store(new SubscriptionRecord(
                    before.definition(),
                    before.home(),
                    before.created(),
                    revision,
                    before.start(),
                    before.changes(),
                    revision));
        }
    }

    void remove(String id, SubscriptionEnd why) {
        SubscriptionRecord before = stored.remove(id);
        byId.remove(id);
        if (before != null) {
            revision++;
            changed(new RegistryChange(revision, id, before, null, why));
        }
    }

    /** The gateway is known from now on, or gone: homes follow. */
    void gateway(String id, boolean known) {
        if (known ? !gateways.add(id) : !gateways.remove(id)) {
            return;
        }
        for (SubscriptionRecord each : List.copyOf(stored.values())) {
            Home now = home(each.definition());
            if (each.definition().gatewayId().equals(id) && !now.equals(each.home())) {
                change(each, each.definition(), now, feed.heard());
            }
        }
    }

    private Home home(Subscription subscription) {
        String gateway = subscription.gatewayId();
        if (!gateway.isEmpty() && (gateways.contains(gateway) || mode == RoutingMode.DIRECT)) {
            return new Home.Gateway(gateway);
        }
        return mode == RoutingMode.BROADCAST
                ? Home.BROADCAST
                : new Home.Share((int) Long.remainderUnsigned(Fnv1a64.hash(subscription.id()), Router.SHARES));
    }

    private void store(SubscriptionRecord now) {
        SubscriptionRecord before = stored.put(now.id(), now);
        byId.put(now.id(), now.definition());
        changed(new RegistryChange(now.revision(), now.id(), before, now, null));
    }

    private void changed(RegistryChange change) {
        unshown.addLast(change);
        if (!late) {
            show();
        }
    }

    /** Shows what is stored. */
    void show() {
        late = false;
        while (!unshown.isEmpty()) {
            RegistryChange change = unshown.removeFirst();
            SubscriptionRecord earlier = shown.remove(change.id());
            SubscriptionRecord now = change.now();
            if (earlier != null && now != null) {
                index.replace(earlier.definition(), now.definition());
            } else if (earlier != null) {
                index.remove(earlier.definition());
            } else if (now != null) {
                index.add(now.definition());
            }
            if (now != null) {
                shown.put(now.id(), now);
            }
            ring.add(change);
            shownRevision = change.revision();
        }
        watchers.forEach(Runnable::run);
    }

    /** The watch was lost: those that follow must look at everything. */
    void forgetChanges() {
        forgotten = shownRevision;
        ring.clear();
    }

    List<Subscription> ofGateway(String gatewayId) {
        return byId.values().stream()
                .filter(each -> each.gatewayId().equals(gatewayId))
                .toList();
    }

    @Override
    public Matcher matcher() {
        return index.matcher();
    }

    @Override
    public <T> T reading(Supplier<T> work) {
        if (reading == 0) {
            beforeReading.run();
        }
        reading++;
        try {
            return work.get();
        } finally {
            reading--;
        }
    }

    @Override
    public long revision() {
        return shownRevision;
    }

    @Override
    public long identity() {
        return identity;
    }

    @Override
    public @Nullable SubscriptionRecord find(String id) {
        return shown.get(id);
    }

    @Override
    public boolean isCurrent(String id, long changedAt) {
        SubscriptionRecord now = stored.get(id);
        return now != null && now.changedAt() == changedAt;
    }

    @Override
    public long storedRevision() {
        if (away) {
            throw new StoreUnavailableException("the simulated registry is away");
        }
        return revision;
    }

    @Override
    public @Nullable List<RegistryChange> changesAfter(long after, int most) {
        if (after < forgotten) {
            onRescan.run();
            return null;
        }
        return ring.stream().filter(each -> each.revision() > after).limit(most).toList();
    }

    @Override
    public void forEach(Consumer<SubscriptionRecord> each) {
        List.copyOf(shown.values()).forEach(each);
    }

    @Override
    public void forEachOf(Home home, Consumer<SubscriptionRecord> each) {
        List.copyOf(shown.values()).stream()
                .filter(one -> one.home().equals(home))
                .forEach(each);
    }

    @Override
    public List<Home> homes() {
        Set<Home> homes = new LinkedHashSet<>();
        shown.values().forEach(each -> homes.add(each.home()));
        return List.copyOf(homes);
    }

    @Override
    public void onChange(Runnable wakeUp) {
        watchers.add(wakeUp);
    }
}
