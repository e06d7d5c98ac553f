package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who receives events, and who is there to do so. A gateway is up while it beats; when its lease ends it is away, and
 * after the grace it is gone and forgotten. Nobody beats for a Kafka topic: such a gateway is up until it is removed.
 *
 * <p>Durable through the store: after a restart every gateway that was known is up for one lease. Any thread may call.
 * Reading never waits for a change; listeners are told of one change after the other and must not make another.
 */
public final class GatewayRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayRegistry.class);

    private final GatewayLeases leases;
    private final SubscriptionStore store;
    private final LongSupplier nanos;
    private final Map<String, Gateway> gateways = new ConcurrentHashMap<>();
    private final List<GatewayListener> listeners = new CopyOnWriteArrayList<>();
    private final ReentrantLock changing = new ReentrantLock();

    /** @param since when it last beat, or when it went away */
    private record Gateway(GatewayAddress address, boolean up, long since) {
        boolean neverLeaves() {
            return address.protocol() == Protocol.KAFKA;
        }
    }

    /** @param nanos as {@link System#nanoTime()} */
    public GatewayRegistry(GatewayLeases leases, SubscriptionStore store, LongSupplier nanos) {
        this.leases = leases;
        this.store = store;
        this.nanos = nanos;
        store.gateways().forEach(address -> gateways.put(address.id(), upNow(address)));
    }

    /** From now on; and at once of those that are known. */
    public void listen(GatewayListener listener) {
        change(() -> {
            listeners.add(listener);
            gateways.values().forEach(gateway -> {
                listener.up(gateway.address);
                if (!gateway.up) {
                    listener.away(gateway.address.id());
                }
            });
        });
    }

    public Duration lease() {
        return leases.lease();
    }

    /**
     * It is there, under this address.
     *
     * @throws InvalidInputException when there are too many
     * @throws SubscriptionStoreException when it cannot be kept; nothing has changed then
     */
    public void register(GatewayAddress address) {
        change(() -> {
            Gateway known = gateways.get(address.id());
            if (known == null && gateways.size() >= leases.most()) {
                throw new InvalidInputException("there are " + leases.most()
                        + " gateways already, the most there may be: remove some, or raise the limit");
            }
            if (known == null || !known.address.equals(address)) {
                store.saveGateway(address);
            }
            gateways.put(address.id(), upNow(address));
            if (known == null || !known.up || !known.address.equals(address)) {
                LOG.atInfo()
                        .addKeyValue("gateway", address.id())
                        .addKeyValue("protocol", address.protocol().text())
                        .addKeyValue("endpoint", address.endpoint())
                        .log("a gateway is up");
                tell(listener -> listener.up(address));
            } else {
                tell(listener -> listener.registeredAgain(address));
            }
        });
    }

    /** It is still there. Returns false for one that nobody knows, or knows no more: it must register again. */
    public boolean heartbeat(String id) {
        Gateway beaten = gateways.computeIfPresent(id, (same, known) -> known.up ? upNow(known.address) : known);
        if (beaten != null && !beaten.up) {
            change(() -> comeBack(id));
        }
        return beaten != null && gateways.containsKey(id);
    }

    private void comeBack(String id) {
        Gateway known = gateways.get(id);
        if (known != null && !known.up) {
            gateways.put(id, upNow(known.address));
            LOG.atInfo().addKeyValue("gateway", id).log("a gateway is back");
            tell(listener -> listener.up(known.address));
        }
    }

    /** Returns whether it was there. */
    public boolean remove(String id) {
        boolean[] found = new boolean[1];
        change(() -> {
            found[0] = gateways.containsKey(id);
            if (found[0]) {
                forget(id);
            }
        });
        return found[0];
    }

    /** Notices who stopped beating, and whose grace is over; to be called about once a second. Returns how many. */
    public int step() {
        int[] changed = new int[1];
        change(() -> gateways.values().forEach(gateway -> changed[0] += step(gateway) ? 1 : 0));
        return changed[0];
    }

    private boolean step(Gateway gateway) {
        String id = gateway.address.id();
        if (!left(gateway).isNegative()) {
            return false;
        }
        if (!gateway.up) {
            forgetOrWait(id);
        } else if (gateways.replace(id, gateway, new Gateway(gateway.address, false, nanos.getAsLong()))) {
            LOG.atWarn()
                    .addKeyValue("gateway", id)
                    .addKeyValue("graceMs", leases.grace().toMillis())
                    .log("a gateway is away: what it is owed is kept for the grace");
            tell(listener -> listener.away(id));
        }
        return true;
    }

    private void forgetOrWait(String id) {
        try {
            LOG.atWarn().addKeyValue("gateway", id).log("a gateway is gone: it stayed away longer than the grace");
            forget(id);
        } catch (SubscriptionStoreException e) {
            LOG.atError().addKeyValue("gateway", id).setCause(e).log("a gateway cannot be forgotten yet");
        }
    }

    private void forget(String id) {
        store.removeGateway(id);
        gateways.remove(id);
        tell(listener -> listener.gone(id));
    }

    public Optional<GatewayStatus> find(String id) {
        return Optional.ofNullable(gateways.get(id)).map(this::status);
    }

    /** In the order of their ids. */
    public List<GatewayStatus> list() {
        return gateways.values().stream()
                .map(this::status)
                .sorted(Comparator.comparing(status -> status.address().id()))
                .toList();
    }

    public int size() {
        return gateways.size();
    }

    boolean isRegistered(String id) {
        return gateways.containsKey(id);
    }

    /** Nobody can be expected to renew its subscriptions: it is away, and the grace runs; or it is a Kafka topic. */
    boolean isExcused(String id) {
        Gateway gateway = gateways.get(id);
        return gateway != null && (!gateway.up || gateway.neverLeaves());
    }

    private GatewayStatus status(Gateway gateway) {
        return new GatewayStatus(gateway.address, gateway.up, left(gateway));
    }

    private Duration left(Gateway gateway) {
        Duration longest = gateway.up ? leases.lease() : leases.grace();
        return gateway.neverLeaves() ? longest : longest.minusNanos(nanos.getAsLong() - gateway.since);
    }

    private Gateway upNow(GatewayAddress address) {
        return new Gateway(address, true, nanos.getAsLong());
    }

    private void change(Runnable step) {
        changing.lock();
        try {
            step.run();
        } finally {
            changing.unlock();
        }
    }

    /** One that fails does not keep the others from hearing. */
    private void tell(Consumer<GatewayListener> news) {
        for (GatewayListener listener : listeners) {
            try {
                news.accept(listener);
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("a listener failed at the news of a gateway");
            }
        }
    }
}
