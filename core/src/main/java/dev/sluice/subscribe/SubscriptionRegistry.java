package dev.sluice.subscribe;

import dev.sluice.match.Filter;
import dev.sluice.match.Matcher;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
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
 * wait for one, matching and finding only while a portion is shown. Routing follows the changes by {@link #view}.
 *
 * <p>A subscription ends when it is removed, when nobody renewed it within its TTL, or when its gateway is gone and it
 * allows no failover. While its gateway is away the grace counts and not the TTL; it has a whole TTL again when the
 * gateway is back. Those of a Kafka gateway, for which nobody can renew, have no TTL.
 */
public final class SubscriptionRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionRegistry.class);
    private static final int EXPIRED_AT_ONCE = 1_000;

    private final SubscriptionQuotas quotas;
    private final GatewayRegistry gateways;
    private final Homes homes;
    private final LogHeads heads;
    private final InstantSource clock;
    private final SubscriptionTable table;
    private final ShownRegistry shown = new ShownRegistry();
    private final Revisions revisions;
    private final SubscriptionCounters counters = new SubscriptionCounters();
    private final RegistryWriter writer;
    private final HomeSettling settling;
    private final ReentrantLock changing = new ReentrantLock();

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
        this.gateways = gateways;
        this.homes = homes;
        this.heads = heads;
        this.clock = clock;
        this.table = new SubscriptionTable(nanos);
        Loading loading = new Loading(this::home, table::shared, shown::shared);
        RegistryMark mark = loading.finish(store, store.load(stored -> hold(loading.take(stored))));
        shown.begin(mark);
        this.revisions = new Revisions(mark.revision(), shown::shared);
        this.writer = new RegistryWriter(store, table, shown, revisions, counters);
        this.settling = new HomeSettling(
                changing, gateways, this::home, heads, table, shown, revisions, writer, loading.isMisplaced());
        gateways.listen(settling);
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

    /** The registry as routing reads and follows it. */
    public RegistryView view() {
        return shown;
    }

    /**
     * Registers each that can be, in order; one with a known id takes the place of the earlier, and one that is there just
     * so is renewed. A subscription with {@code from} is always a new incarnation; without, it goes on where the earlier
     * of its id is.
     *
     * @throws SubscriptionStoreException when they cannot be kept; nothing has changed then
     * @throws NotReadyException while the heads of the logs are not known; nothing has changed then
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
        writer.define(admission.changes());
        admission.renewals().forEach(table::renew);
        counters.renewed.addAndGet(admission.renewals().size());
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
            writer.rewrite(changes);
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

    /**
     * Returns how many there were.
     *
     * @throws SubscriptionStoreException when it cannot be kept; nothing has changed then
     */
    public int remove(Collection<String> ids) {
        changing.lock();
        try {
            List<SubscriptionRecord> found = found(ids);
            writer.end(found, SubscriptionEnd.REMOVED);
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
            writer.end(found, SubscriptionEnd.REMOVED);
            return found.size();
        } finally {
            changing.unlock();
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
            List<SubscriptionRecord> due = table.takeDue(EXPIRED_AT_ONCE, gateways::isExcused);
            boolean ended = false;
            try {
                writer.end(due, SubscriptionEnd.EXPIRED);
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
        return settling.settleNext();
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
}
