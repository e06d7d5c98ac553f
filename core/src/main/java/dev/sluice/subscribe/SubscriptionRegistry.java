package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.match.Filter;
import dev.sluice.match.Matcher;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All subscriptions, and the index that finds those an event concerns. Every change has a revision: it is decided,
 * stored, shown in {@link #view}, and then answered, so what is acknowledged is applied and survives a restart. Time is
 * not stored: after a restart every TTL begins anew.
 *
 * <p>Any thread may call. Changes come one after the other, in the order of their revisions; renewing and listing never
 * wait for one, matching and finding only while a portion of at most {@value #SHOWN_AT_ONCE} is shown. Listeners are
 * told within a change, so they must not make another, and no caller may make one while it holds a lock that a listener
 * takes.
 *
 * <p>A subscription ends when it is removed, when nobody renewed it within its TTL, or when its gateway is gone and it
 * allows no failover. While its gateway is away the grace counts and not the TTL; it has a whole TTL again when the
 * gateway is back. Those of a Kafka gateway, for which nobody can renew, have no TTL.
 */
public final class SubscriptionRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionRegistry.class);
    private static final int EXPIRED_AT_ONCE = 1_000;
    private static final int REHOMED_AT_ONCE = 1_000;
    private static final int SHOWN_AT_ONCE = 200;

    private final SubscriptionQuotas quotas;
    private final SubscriptionStore store;
    private final GatewayRegistry gateways;
    private final Homes homes;
    private final LogHeads heads;
    private final InstantSource clock;
    private final SubscriptionTable table;
    private final ShownRegistry shown = new ShownRegistry();
    private final Revisions revisions;
    private final SubscriptionCounters counters = new SubscriptionCounters();
    private final List<SubscriptionListener> listeners = new CopyOnWriteArrayList<>();
    private final ReentrantLock changing = new ReentrantLock();
    /** Ids whose last write failed: the store may have it or not. */
    private final Set<String> doubtful = new HashSet<>();
    /** Gateways that came or went and whose subscriptions are not settled yet. */
    private final Map<String, Unsettled> unsettled = new ConcurrentHashMap<>();
    /** Portions of the view from here on may have records that another routing mode placed. */
    private volatile int unchecked;

    /** One coming or going of a gateway; equal to no other one. */
    private static final class Unsettled {
        private final boolean gone;

        private Unsettled(boolean gone) {
            this.gone = gone;
        }
    }

    /** Without the heads of the logs, for an engine that keeps by itself where subscriptions start. */
    public SubscriptionRegistry(
            SubscriptionQuotas quotas, SubscriptionStore store, GatewayRegistry gateways, LongSupplier nanos) {
        this(quotas, store, gateways, nanos, new Homes(Homes.Unclaimed.WAIT), LogHeads.ABSENT, InstantSource.system());
    }

    /**
     * Holds what is in the store.
     *
     * @param gateways of the same store; this registry listens to it, and is to be made before any other listener, so that
     *     subscriptions have ended before others hear that their gateway is gone
     * @param nanos as {@link System#nanoTime()}
     * @param clock against which a {@code from} in the future is found
     */
    public SubscriptionRegistry(
            SubscriptionQuotas quotas,
            SubscriptionStore store,
            GatewayRegistry gateways,
            LongSupplier nanos,
            Homes homes,
            LogHeads heads,
            InstantSource clock) {
        this.quotas = quotas;
        this.store = store;
        this.gateways = gateways;
        this.homes = homes;
        this.heads = heads;
        this.clock = clock;
        this.table = new SubscriptionTable(nanos);
        Loading loading = new Loading(this::home, table::shared, shown::shared, heads == LogHeads.ABSENT);
        RegistryMark mark = loading.finish(store, store.load(stored -> hold(loading.take(stored))));
        shown.begin(mark);
        this.revisions = new Revisions(mark.revision(), shown::shared);
        this.unchecked = loading.isMisplaced() ? 0 : shown.portions();
        gateways.listen(new OfGateways());
    }

    private void hold(SubscriptionRecord record) {
        try {
            shown.load(record);
            table.put(record);
        } catch (InvalidInputException e) {
            LOG.atError()
                    .addKeyValue("subscription", record.id())
                    .addKeyValue("reason", e.getMessage())
                    .log("a stored subscription is not understood by this version and left out");
        }
    }

    private Home home(Subscription subscription) {
        return homes.of(subscription, gateways::isRegistered);
    }

    private boolean isMisplaced(SubscriptionRecord record) {
        return !home(record.definition()).equals(record.home());
    }

    /** The registry as routing reads and follows it. */
    public RegistryView view() {
        return shown;
    }

    /** From now on; what is there already is not told, see {@link #ofGateway}. */
    public void listen(SubscriptionListener listener) {
        changing.lock();
        try {
            listeners.add(listener);
        } finally {
            changing.unlock();
        }
    }

    /**
     * Registers each that can be, in order; one with a known id takes the place of the earlier, and one that is there just
     * so is renewed. A subscription with {@code from} is always a new incarnation; without, it goes on where the earlier
     * of its id is.
     *
     * @throws SubscriptionStoreException when they cannot be kept; nothing has changed then
     * @throws NotReadyException when the heads of the logs are not known yet, or a listener cannot apply them yet; nothing
     *     has changed then
     */
    public Registered register(List<Subscription> batch) {
        List<Refusal> refusals = new ArrayList<>();
        // Logs are asked and filters compiled before it is this batch's turn: others may have theirs meanwhile.
        Origins origins = new Origins(heads, clock);
        List<@Nullable Filter> filters = new ArrayList<>();
        for (int k = 0; k < batch.size(); k++) {
            filters.add(compiled(k, batch.get(k), origins, refusals));
        }
        Admission admission;
        changing.lock();
        try {
            admission = new Admission(quotas, table, shown, revisions, this::home, origins);
            for (int k = 0; k < batch.size(); k++) {
                Filter filter = filters.get(k);
                if (filter != null) {
                    admit(admission, k, batch.get(k), filter, refusals);
                }
            }
            apply(admission);
        } finally {
            changing.unlock();
        }
        refusals.sort(Comparator.comparingInt(Refusal::index));
        int accepted = batch.size() - refusals.size();
        return new Registered(
                accepted, refusals, accepted == 0 ? shown.revision() : admission.revision(), admission.start());
    }

    private @Nullable Filter compiled(int k, Subscription subscription, Origins origins, List<Refusal> refusals) {
        try {
            origins.objection(subscription).ifPresent(SubscriptionRegistry::refuse);
            origins.from(subscription);
            for (SubscriptionListener listener : listeners) {
                listener.objection(subscription).ifPresent(SubscriptionRegistry::refuse);
            }
            return shown.index().parse(subscription);
        } catch (InvalidInputException e) {
            counters.invalid.incrementAndGet();
            String reason = String.valueOf(e.getMessage());
            refusals.add(new Refusal(k, subscription.id(), reason, Refusal.Cause.INVALID));
            return null;
        }
    }

    private static void refuse(String reason) {
        throw new InvalidInputException(reason);
    }

    private void admit(Admission admission, int k, Subscription subscription, Filter filter, List<Refusal> refusals) {
        admission.admit(subscription, filter).ifPresent(tooMany -> {
            counters.overQuota.incrementAndGet();
            refusals.add(new Refusal(k, subscription.id(), tooMany, Refusal.Cause.QUOTA));
        });
    }

    private void apply(Admission admission) {
        if (!admission.changes().isEmpty()) {
            List<IndexedChange> changes = admission.changes().stream()
                    .map(each -> IndexedChange.defined(each.change(), each.filter(), shown.index()))
                    .toList();
            store(admission);
            show(changes);
            List<Subscription> added = admission.changed().stream()
                    .map(SubscriptionRecord::definition)
                    .toList();
            tell(listener -> listener.afterAdd(added));
        }
        admission.renewals().forEach(table::renew);
        counters.renewed.addAndGet(admission.renewals().size());
    }

    private void store(Admission admission) {
        List<Replacement> replacements = admission.replacements();
        boolean stored = false;
        try {
            for (SubscriptionListener listener : listeners) {
                prepare(listener, replacements);
            }
            save(admission.changed());
            stored = true;
        } finally {
            if (!stored) {
                tell(listener -> listener.notStored(replacements));
            }
        }
    }

    private static void prepare(SubscriptionListener listener, List<Replacement> replacements) {
        try {
            listener.beforeStore(replacements);
        } catch (NotReadyException e) {
            throw e;
        } catch (Throwable bug) {
            LOG.atError().setCause(bug).log("a listener failed over a change of subscriptions");
        }
    }

    private void save(List<SubscriptionRecord> records) {
        write(records.stream().map(SubscriptionRecord::id).toList(), () -> store.save(records));
    }

    /** Stores a change, after what an earlier failure left open is settled: the store never has what is not shown. */
    private void write(Collection<String> ids, Runnable change) {
        if (!doubtful.isEmpty()) {
            settleDoubtful();
        }
        boolean stored = false;
        try {
            change.run();
            stored = true;
        } finally {
            if (!stored) {
                doubtful.addAll(ids);
            }
        }
    }

    private void settleDoubtful() {
        List<SubscriptionRecord> present = new ArrayList<>();
        List<String> absent = new ArrayList<>();
        for (String id : doubtful) {
            SubscriptionRecord record = shown.find(id);
            if (record == null) {
                absent.add(id);
            } else {
                present.add(record);
            }
        }
        if (!present.isEmpty()) {
            store.save(present);
        }
        if (!absent.isEmpty()) {
            store.remove(absent, revisions.last());
        }
        doubtful.clear();
    }

    /** A listener that throws must not keep the rest of what is stored from being shown. */
    private void tell(Consumer<SubscriptionListener> what) {
        for (SubscriptionListener listener : listeners) {
            try {
                what.accept(listener);
            } catch (Throwable bug) {
                LOG.atError().setCause(bug).log("a listener failed over a change of subscriptions");
            }
        }
    }

    /** Shows stored changes, in portions, so that matching never waits long; one by one where listeners follow them. */
    private void show(List<IndexedChange> changes) {
        int portion = listeners.isEmpty() ? SHOWN_AT_ONCE : 1;
        for (int from = 0; from < changes.size(); from += portion) {
            List<IndexedChange> some = changes.subList(from, Math.min(changes.size(), from + portion));
            some.forEach(this::announce);
            shown.show(some);
            some.forEach(this::settle);
        }
    }

    private void announce(IndexedChange each) {
        SubscriptionRecord before = each.change().before();
        SubscriptionRecord now = each.change().now();
        if (now != null && each.later() != null) {
            tell(listener -> listener.beforeAdd(now.definition(), before == null ? null : before.definition()));
        }
    }

    private void settle(IndexedChange each) {
        SubscriptionRecord before = each.change().before();
        SubscriptionRecord now = each.change().now();
        SubscriptionEnd end = each.change().end();
        if (now == null) {
            table.remove(each.change().id());
        } else if (each.later() == null) {
            table.replace(now);
        } else {
            table.put(now);
            (before == null ? counters.added : counters.replaced).incrementAndGet();
        }
        if (before != null && end != null) {
            counters.counter(end).incrementAndGet();
            tell(listener -> listener.afterRemove(before.definition(), end));
        }
    }

    /** Their TTL begins again. */
    public Renewal renew(Collection<String> ids) {
        List<String> unknown = new ArrayList<>();
        Set<String> renewed = new HashSet<>();
        for (String id : ids) {
            String gateway = table.renew(id);
            if (gateway == null) {
                unknown.add(id);
            } else {
                renewed.add(gateway);
            }
        }
        counters.renewed.addAndGet(ids.size() - unknown.size());
        return new Renewal(unknown, renewed);
    }

    /** The TTL of all its subscriptions begins again. Returns how many there are. */
    public int renewGateway(String gatewayId) {
        int renewed = table.renewGateway(gatewayId);
        counters.renewed.addAndGet(renewed);
        return renewed;
    }

    /**
     * Whoever routes has caught up with their {@code from} and saved so: a restart does not begin there again. Nothing
     * happens to one that has been changed since: where it is now it may not have caught up.
     */
    public void started(Collection<Subscription> subscriptions) {
        changing.lock();
        try {
            List<SubscriptionRecord> held = new ArrayList<>();
            for (Subscription subscription : subscriptions) {
                SubscriptionRecord now = shown.find(subscription.id());
                if (now != null
                        && now.definition().from().isPresent()
                        && now.definition().equals(subscription)) {
                    held.add(now);
                }
            }
            if (!held.isEmpty()) {
                save(held.stream().map(SubscriptionRegistry::withoutFrom).toList());
            }
            for (SubscriptionRecord earlier : held) {
                SubscriptionRecord later = withoutFrom(earlier);
                shown.amend(earlier, later);
                table.replace(later);
            }
        } finally {
            changing.unlock();
        }
    }

    private static SubscriptionRecord withoutFrom(SubscriptionRecord record) {
        return new SubscriptionRecord(
                record.definition().startingAt(Optional.empty()),
                record.home(),
                record.created(),
                record.revision(),
                record.start(),
                record.changes(),
                record.resync());
    }

    /**
     * Asks for a RESYNC of each, durably. Returns how many there were.
     *
     * @throws SubscriptionStoreException when it cannot be kept; nothing has changed then
     */
    public int resync(Collection<String> ids) {
        changing.lock();
        try {
            List<RegistryChange> changes = new ArrayList<>();
            for (SubscriptionRecord record : found(ids)) {
                SubscriptionRecord now = revisions.resynced(record);
                changes.add(new RegistryChange(now.revision(), now.id(), record, now, null));
            }
            rewrite(changes);
            return changes.size();
        } finally {
            changing.unlock();
        }
    }

    private List<SubscriptionRecord> found(Collection<String> ids) {
        List<SubscriptionRecord> found = new ArrayList<>();
        for (String id : new LinkedHashSet<>(ids)) {
            SubscriptionRecord record = shown.find(id);
            if (record != null) {
                found.add(record);
            }
        }
        return found;
    }

    /** Stores and shows records whose definitions stay as they are. */
    private void rewrite(List<RegistryChange> changes) {
        List<SubscriptionRecord> records = new ArrayList<>();
        for (RegistryChange change : changes) {
            if (change.now() != null) {
                records.add(change.now());
            }
        }
        if (!records.isEmpty()) {
            save(records);
            show(changes.stream().map(IndexedChange::kept).toList());
        }
    }

    /**
     * Returns how many there were.
     *
     * @throws SubscriptionStoreException when it cannot be kept; nothing has changed then
     */
    public int remove(Collection<String> ids) {
        changing.lock();
        try {
            List<SubscriptionRecord> found = found(ids);
            end(found, SubscriptionEnd.REMOVED);
            return found.size();
        } finally {
            changing.unlock();
        }
    }

    /** Ends all subscriptions of this gateway, which stays registered itself. Returns how many there were. */
    public int removeGateway(String gatewayId) {
        changing.lock();
        try {
            List<SubscriptionRecord> found = table.ofGateway(gatewayId);
            end(found, SubscriptionEnd.REMOVED);
            return found.size();
        } finally {
            changing.unlock();
        }
    }

    private void end(List<SubscriptionRecord> records, SubscriptionEnd why) {
        if (records.isEmpty()) {
            return;
        }
        List<IndexedChange> changes = new ArrayList<>();
        for (SubscriptionRecord record : records) {
            RegistryChange change = new RegistryChange(revisions.next(), record.id(), record, null, why);
            changes.add(IndexedChange.ended(change, record, shown.index()));
        }
        List<String> ids = records.stream().map(SubscriptionRecord::id).toList();
        write(ids, () -> store.remove(ids, revisions.last()));
        show(changes);
    }

    /**
     * Ends those whose TTL is over, a bounded number at once; to be called about once a second, and again while it returns
     * more than 0.
     *
     * @throws SubscriptionStoreException when it cannot be kept; they end at a later call then
     */
    public int expire() {
        changing.lock();
        try {
            List<SubscriptionRecord> due = table.takeDue(EXPIRED_AT_ONCE, gateways::isExcused);
            boolean ended = false;
            try {
                end(due, SubscriptionEnd.EXPIRED);
                ended = true;
            } finally {
                if (!ended) {
                    due.forEach(table::put);
                }
            }
            if (!due.isEmpty()) {
                LOG.atInfo()
                        .addKeyValue("subscriptions", due.size())
                        .addKeyValue("first", due.getFirst().id())
                        .log("subscriptions ended: nobody renewed them within their TTL");
            }
            return due.size();
        } finally {
            changing.unlock();
        }
    }

    /**
     * Settles what could not be settled when a gateway came or went, and after a change of the routing mode: gives
     * subscriptions the home they have now, and ends those of a gateway that is gone. A bounded number at once; to be
     * called about once a second, and again while it returns more than 0. Homes wait while the heads of the logs are not
     * known.
     *
     * @throws SubscriptionStoreException when it cannot be kept; it is done by a later call then
     */
    public int rehome() {
        try {
            return settleNext();
        } catch (NotReadyException e) {
            LOG.atDebug().addKeyValue("reason", e.getMessage()).log("subscriptions get their new home later");
            return 0;
        }
    }

    private int settleNext() {
        int changed = 0;
        for (String gateway : List.copyOf(unsettled.keySet())) {
            changed = changed == 0 ? settle(gateway) : changed;
        }
        while (changed == 0 && unchecked < shown.portions()) {
            changed = check(unchecked);
        }
        return changed;
    }

    private int check(int portion) {
        List<SubscriptionRecord> misplaced = new ArrayList<>();
        shown.reading(() -> {
            shown.forEachIn(portion, misplaced::add);
            return true;
        });
        misplaced.removeIf(each -> !isMisplaced(each));
        int moved = misplaced.isEmpty() ? 0 : move(misplaced);
        unchecked = Math.max(unchecked, portion + 1);
        return moved;
    }

    /** Settles the next portion of a gateway's subscriptions; returns how many have changed. */
    private int settle(String gatewayId) {
        Unsettled news = unsettled.get(gatewayId);
        if (news == null) {
            return 0;
        }
        int ended = news.gone ? endWithoutFailover(gatewayId) : 0;
        if (ended > 0) {
            return ended;
        }
        List<SubscriptionRecord> misplaced = table.ofGateway(gatewayId).stream()
                .filter(this::isMisplaced)
                .limit(REHOMED_AT_ONCE)
                .toList();
        if (misplaced.isEmpty()) {
            unsettled.remove(gatewayId, news);
            return 0;
        }
        return move(misplaced);
    }

    private int endWithoutFailover(String gatewayId) {
        changing.lock();
        try {
            if (gateways.isRegistered(gatewayId)) {
                return 0;
            }
            List<SubscriptionRecord> ending = table.ofGateway(gatewayId).stream()
                    .filter(each -> !each.definition().failover())
                    .limit(REHOMED_AT_ONCE)
                    .toList();
            end(ending, SubscriptionEnd.GATEWAY_GONE);
            return ending.size();
        } finally {
            changing.unlock();
        }
    }

    private int move(List<SubscriptionRecord> misplaced) {
        Places since = heads.heads();
        changing.lock();
        try {
            List<RegistryChange> changes = new ArrayList<>();
            for (SubscriptionRecord each : misplaced) {
                SubscriptionRecord before = shown.find(each.id());
                if (before != null && isMisplaced(before)) {
                    SubscriptionRecord now =
                            revisions.changed(before, before.definition(), home(before.definition()), since);
                    changes.add(new RegistryChange(now.revision(), now.id(), before, now, null));
                }
            }
            rewrite(changes);
            return changes.size();
        } finally {
            changing.unlock();
        }
    }

    public Optional<Subscription> find(String id) {
        return Optional.ofNullable(shown.find(id)).map(SubscriptionRecord::definition);
    }

    public SubscriptionPage list(SubscriptionQuery query) {
        return table.page(query);
    }

    /** All of one gateway, in no order; of the empty id, those that the hash ring places. */
    public List<Subscription> ofGateway(String gatewayId) {
        return table.ofGateway(gatewayId).stream()
                .map(SubscriptionRecord::definition)
                .toList();
    }

    /** Of every gateway that has a subscription, be it known or not; the empty id among them. */
    public Set<String> gatewayIds() {
        return table.gatewayIds();
    }

    public int size() {
        return table.size();
    }

    /** For one thread: it keeps scratch space between events. */
    public Matcher matcher() {
        return shown.matcher();
    }

    public SubscriptionCounters counters() {
        return counters;
    }

    /** What becomes of gateways decides over their subscriptions. */
    private final class OfGateways implements GatewayListener {
        @Override
        public void up(GatewayAddress gateway) {
            table.renewGateway(gateway.id());
            settleNow(gateway.id(), false);
        }

        @Override
        public void away(String gatewayId) {}

        @Override
        public void gone(String gatewayId) {
            int had = table.sizeOfGateway(gatewayId);
            settleNow(gatewayId, true);
            int left = table.sizeOfGateway(gatewayId);
            if (had > 0) {
                LOG.atWarn()
                        .addKeyValue("gateway", gatewayId)
                        .addKeyValue("ended", had - left)
                        .addKeyValue("failover", left)
                        .log("a gateway is gone: its subscriptions end, except those that allow failover");
            }
        }

        private void settleNow(String gatewayId, boolean gone) {
            unsettled.put(gatewayId, new Unsettled(gone));
            try {
                while (settle(gatewayId) > 0) {}
            } catch (NotReadyException e) {
                LOG.atInfo()
                        .addKeyValue("gateway", gatewayId)
                        .addKeyValue("reason", e.getMessage())
                        .log("the subscriptions of a gateway get their new home later");
            } catch (Throwable e) {
                LOG.atError()
                        .addKeyValue("gateway", gatewayId)
                        .setCause(e)
                        .log("the subscriptions of a gateway that came or went cannot be changed yet: tried again");
            }
        }
    }
}
