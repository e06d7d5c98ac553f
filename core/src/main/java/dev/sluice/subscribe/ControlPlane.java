package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** What gateways can ask of the Streamer, whatever protocol they ask by. */
public final class ControlPlane {
    private final SubscriptionRegistry subscriptions;
    private final GatewayRegistry gateways;
    private final StreamProgress progress;
    private final Protocol usual;
    private final Consumer<GatewayAddress> reachable;
    private final Consumer<Subscription> servable;

    /** Takes every address. */
    public ControlPlane(SubscriptionRegistry subscriptions, GatewayRegistry gateways, StreamProgress progress) {
        this(subscriptions, gateways, progress, Protocol.HTTP, any -> {}, any -> {});
    }

    /**
     * @param usual of gateways that do not say theirs
     * @param reachable throws {@link InvalidInputException} for an address that no delivery could ever use
     * @param servable throws {@link InvalidInputException} for a subscription that asks for what this Streamer does not do
     */
    public ControlPlane(
            SubscriptionRegistry subscriptions,
            GatewayRegistry gateways,
            StreamProgress progress,
            Protocol usual,
            Consumer<GatewayAddress> reachable,
            Consumer<Subscription> servable) {
        this.usual = usual;
        this.reachable = reachable;
        this.servable = servable;
        this.subscriptions = subscriptions;
        this.gateways = gateways;
        this.progress = progress;
    }

    /**
     * @param progress where they begin, or a little before; empty while that is not known
     * @param accepted how many of the batch
     * @param revision the highest of those accepted; of the registry when there are none
     */
    public record Registration(String progress, int accepted, List<Refusal> refusals, long revision) {
        public Registration {
            refusals = List.copyOf(refusals);
        }

        /** There was something, and nothing of it was taken. */
        public boolean isRefused() {
            return accepted == 0 && !refusals.isEmpty();
        }

        /** Of one that is refused: nothing is wrong with any of them but their number. */
        public boolean isOverQuota() {
            return refusals.stream().allMatch(refusal -> refusal.cause() == Refusal.Cause.QUOTA);
        }
    }

    /** @param progress what the gateway of all that were renewed has acknowledged; empty when there are several */
    public record Extension(List<String> unknown, String progress) {
        public Extension {
            unknown = List.copyOf(unknown);
        }
    }

    /**
     * Registers what can be registered.
     *
     * @throws SubscriptionStoreException when they cannot be kept; nothing has changed then
     * @throws NotReadyException when the Streamer cannot apply them yet; nothing has changed then
     */
    public Registration register(SubscriptionBatch batch) {
        batch.require(servable);
        Registered registered = subscriptions.register(batch.readable());
        List<Refusal> refusals = new ArrayList<>(batch.unreadable());
        subscriptions.counters().invalid.addAndGet(refusals.size());
        for (Refusal refusal : registered.refusals()) {
            refusals.add(new Refusal(batch.place(refusal.index()), refusal.id(), refusal.reason(), refusal.cause()));
        }
        refusals.sort(Comparator.comparingInt(Refusal::index));
        String start =
                registered.start().map(places -> places.marker().encode()).orElseGet(progress::head);
        return new Registration(start, registered.accepted(), refusals, registered.revision());
    }

    /**
     * Begins the TTL anew of those, and of all that the gateway has.
     *
     * @param gatewayId may be empty
     */
    public Extension renew(Collection<String> ids, String gatewayId) {
        SubscriptionBatch.requireFew(ids.size());
        Renewal renewal = subscriptions.renew(ids);
        Set<String> renewed = new HashSet<>(renewal.gateways());
        if (!gatewayId.isEmpty()) {
            subscriptions.renewGateway(gatewayId);
            renewed.add(gatewayId);
        }
        renewed.remove("");
        return new Extension(
                renewal.unknown(),
                renewed.size() == 1 ? progress.lowWater(renewed.iterator().next()) : "");
    }

    /** Returns how many there were. */
    public int remove(Collection<String> ids) {
        SubscriptionBatch.requireFew(ids.size());
        return subscriptions.remove(ids);
    }

    /** Removes a gateway's subscriptions; returns how many there were. */
    public int removeGateway(String gatewayId) {
        if (gatewayId.isEmpty()) {
            throw new InvalidInputException("name the gateway whose subscriptions are to be removed");
        }
        return subscriptions.removeGateway(gatewayId);
    }

    public SubscriptionPage list(SubscriptionQuery query) {
        return subscriptions.list(query);
    }

    /** @throws InvalidInputException when there is no such protocol */
    public Protocol protocol(String text) {
        return text.isEmpty() ? usual : Protocol.parse(text);
    }

    /**
     * Returns how long it is up without a heartbeat; zero: it needs none.
     *
     * @throws InvalidInputException when nothing can be delivered to such an address; what was registered before stays
     */
    public Duration registerGateway(GatewayAddress address) {
        reachable.accept(address);
        gateways.register(address);
        return address.protocol() == Protocol.KAFKA ? Duration.ZERO : gateways.lease();
    }

    /** Forgets a gateway, as after its grace: its subscriptions end, except those that allow failover. False: unknown. */
    public boolean forgetGateway(String gatewayId) {
        return gateways.remove(gatewayId);
    }

    /** Returns false for one that must register (again). */
    public boolean heartbeat(String gatewayId) {
        return gateways.heartbeat(gatewayId);
    }

    public Duration lease() {
        return gateways.lease();
    }
}
