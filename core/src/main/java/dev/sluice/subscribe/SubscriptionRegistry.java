package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.match.Filter;
import dev.sluice.match.Matcher;
import dev.sluice.match.SubscriptionIndex;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All subscriptions, and the index that finds those an event concerns. A registration is on disk before anyone is told,
 * whoever routes is told before the index shows it, and the caller hears of it last: what is acknowledged is applied and
 * survives a restart. Time is not kept on disk: after a restart every TTL begins anew.
 *
 * <p>Any thread may call. Changes come one after the other; matching, renewing, finding and listing never wait for one.
 * Listeners are told within a change, so they must not make another, and nobody may make one while holding a lock that a
 * listener takes.
 *
 * <p>A subscription ends when it is removed, when nobody renewed it within its TTL, or when its gateway is gone and it
 * allows no failover. While its gateway is away the grace counts and not the TTL; it has a whole TTL again when the
 * gateway is back. Those of a Kafka gateway, for which nobody can renew, have no TTL.
 */
public final class SubscriptionRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionRegistry.class);
    private static final int EXPIRED_AT_ONCE = 1_000;

    private final SubscriptionQuotas quotas;
    private final SubscriptionStore store;
    private final GatewayRegistry gateways;
    private final SubscriptionTable table;
    private final SubscriptionIndex index = new SubscriptionIndex();
    private final SubscriptionCounters counters = new SubscriptionCounters();
    private final List<SubscriptionListener> listeners = new CopyOnWriteArrayList<>();
    private final ReentrantLock changing = new ReentrantLock();

    /**
     * Holds what is in the store.
     *
     * @param gateways of the same store; this registry listens to it, and is to be made before any other listener, so that
     *     subscriptions have ended before others hear that their gateway is gone
     * @param nanos as {@link System#nanoTime()}
     */
    public SubscriptionRegistry(
            SubscriptionQuotas quotas, SubscriptionStore store, GatewayRegistry gateways, LongSupplier nanos) {
        this.quotas = quotas;
        this.store = store;
        this.gateways = gateways;
        this.table = new SubscriptionTable(nanos);
        store.load(this::hold);
        gateways.listen(new OfGateways());
    }

    private void hold(Subscription stored) {
        Subscription subscription = table.shared(stored);
        try {
            index.add(subscription);
            table.put(subscription);
        } catch (InvalidInputException e) {
            LOG.atError()
                    .addKeyValue("subscription", stored.id())
                    .addKeyValue("reason", e.getMessage())
                    .log("a stored subscription is not understood by this version and left out");
        }
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
     * so is renewed. One without {@code from} goes on where the earlier of its id is.
     *
     * @throws SubscriptionStoreException when they cannot be kept; nothing has changed then
     * @throws NotReadyException when whoever routes cannot apply them yet; nothing has changed then
     */
    public Registered register(List<Subscription> batch) {
        List<Refusal> refusals = new ArrayList<>();
        // Compiled before it is this batch's turn: others may have theirs meanwhile.
        List<@Nullable Filter> filters = new ArrayList<>();
        for (int k = 0; k < batch.size(); k++) {
            filters.add(compiled(k, batch.get(k), refusals));
        }
        changing.lock();
        try {
            Admission admission = new Admission(quotas, table);
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
        return new Registered(batch.size() - refusals.size(), refusals);
    }

    private @Nullable Filter compiled(int k, Subscription subscription, List<Refusal> refusals) {
        try {
            for (SubscriptionListener listener : listeners) {
                listener.objection(subscription).ifPresent(reason -> {
                    throw new InvalidInputException(reason);
                });
            }
            return index.parse(subscription);
        } catch (InvalidInputException e) {
            counters.invalid.incrementAndGet();
            String reason = String.valueOf(e.getMessage());
            refusals.add(new Refusal(k, subscription.id(), reason, Refusal.Cause.INVALID));
            return null;
        }
    }

    private void admit(Admission admission, int k, Subscription subscription, Filter filter, List<Refusal> refusals) {
        admission.admit(subscription, filter).ifPresent(tooMany -> {
            counters.overQuota.incrementAndGet();
            refusals.add(new Refusal(k, subscription.id(), tooMany, Refusal.Cause.QUOTA));
        });
    }

    private void apply(Admission admission) {
        store(admission);
        for (Admission.Change change : admission.changes()) {
            tell(listener -> listener.beforeAdd(change.later(), change.earlier()));
            show(change.earlier(), change.later(), change.filter());
        }
        if (!admission.changes().isEmpty()) {
            tell(listener -> listener.afterAdd(admission.changed()));
        }
        admission.renewals().forEach(table::renew);
        counters.renewed.addAndGet(admission.renewals().size());
    }

    private void store(Admission admission) {
        if (admission.changes().isEmpty()) {
            return;
        }
        List<Replacement> changes = admission.replacements();
        try {
            tell(listener -> listener.beforeStore(changes));
            store.save(admission.changed());
        } catch (NotReadyException | SubscriptionStoreException e) {
            tell(listener -> listener.notStored(changes));
            throw e;
        }
    }

    /** What is stored is stored: a listener that throws must not keep the rest from being shown. */
    private void tell(Consumer<SubscriptionListener> what) {
        for (SubscriptionListener listener : listeners) {
            try {
                what.accept(listener);
            } catch (NotReadyException e) {
                throw e;
            } catch (RuntimeException bug) {
                LOG.atError().setCause(bug).log("a listener failed over a change of subscriptions");
            }
        }
    }

    private void show(@Nullable Subscription earlier, Subscription later, Filter filter) {
        if (earlier == null) {
            index.add(later, filter);
            counters.added.incrementAndGet();
        } else {
            index.replace(earlier, later, filter);
            counters.replaced.incrementAndGet();
        }
        table.put(later);
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
            List<Subscription> held = new ArrayList<>();
            for (Subscription subscription : subscriptions) {
                Subscription now = table.find(subscription.id());
                if (now != null && now.from().isPresent() && now.equals(subscription)) {
                    held.add(now);
                }
            }
            if (!held.isEmpty()) {
                store.save(held.stream()
                        .map(each -> each.startingAt(Optional.empty()))
                        .toList());
            }
            for (Subscription earlier : held) {
                Subscription later = earlier.startingAt(Optional.empty());
                index.replace(earlier, later);
                table.replace(later);
            }
        } finally {
            changing.unlock();
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
            List<Subscription> found = new ArrayList<>();
            for (String id : new HashSet<>(ids)) {
                Subscription held = table.find(id);
                if (held != null) {
                    found.add(held);
                }
            }
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
            List<Subscription> found = table.ofGateway(gatewayId);
            end(found, SubscriptionEnd.REMOVED);
            return found.size();
        } finally {
            changing.unlock();
        }
    }

    private void end(List<Subscription> subscriptions, SubscriptionEnd why) {
        if (subscriptions.isEmpty()) {
            return;
        }
        store.remove(subscriptions.stream().map(Subscription::id).toList());
        for (Subscription subscription : subscriptions) {
            table.remove(subscription.id());
            index.remove(subscription);
            counters.counter(why).incrementAndGet();
            tell(listener -> listener.afterRemove(subscription, why));
        }
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
            List<Subscription> due = table.takeDue(EXPIRED_AT_ONCE, gateways::isExcused);
            try {
                end(due, SubscriptionEnd.EXPIRED);
            } catch (SubscriptionStoreException e) {
                due.forEach(table::put);
                throw e;
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

    public Optional<Subscription> find(String id) {
        return Optional.ofNullable(table.find(id));
    }

    public SubscriptionPage list(SubscriptionQuery query) {
        return table.page(query);
    }

    /** All of one gateway, in no order; of the empty id, those that the hash ring places. */
    public List<Subscription> ofGateway(String gatewayId) {
        return table.ofGateway(gatewayId);
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
        return index.matcher();
    }

    public SubscriptionCounters counters() {
        return counters;
    }

    /** What becomes of gateways decides over their subscriptions. */
    private final class OfGateways implements GatewayListener {
        @Override
        public void up(GatewayAddress gateway) {
            table.renewGateway(gateway.id());
        }

        @Override
        public void away(String gatewayId) {}

        @Override
        public void gone(String gatewayId) {
            changing.lock();
            try {
                List<Subscription> left = table.ofGateway(gatewayId);
                List<Subscription> ending =
                        left.stream().filter(each -> !each.failover()).toList();
                end(ending, SubscriptionEnd.GATEWAY_GONE);
                if (!left.isEmpty()) {
                    LOG.atWarn()
                            .addKeyValue("gateway", gatewayId)
                            .addKeyValue("ended", ending.size())
                            .addKeyValue("failover", left.size() - ending.size())
                            .log("a gateway is gone: its subscriptions end, except those that allow failover");
                }
            } catch (SubscriptionStoreException e) {
                LOG.atError()
                        .addKeyValue("gateway", gatewayId)
                        .setCause(e)
                        .log("the subscriptions of a gateway that is gone cannot be removed: they end with their TTL");
            } finally {
                changing.unlock();
            }
        }
    }
}
