package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Keeps subscriptions and gateways over a restart, each by its id. Any thread may call.
 *
 * <ul>
 *   <li>What {@link #save}, {@link #remove}, {@link #saveGateway} and {@link #removeGateway} do is whole or not done at
 *       all, and survives a crash once they return.
 *   <li>What cannot be done throws {@link SubscriptionStoreException}; what was there before stays.
 * </ul>
 */
public interface SubscriptionStore extends AutoCloseable {
    /** Each in the place of what has its id; of two with one id the later stays. */
    void save(Collection<Subscription> subscriptions);

    /** Forgets them. Harmless for ids that nobody has. */
    void remove(Collection<String> ids);

    /** Shows every subscription, one at a time, in the order of the ids' UTF-8. */
    void load(Consumer<Subscription> each);

    void saveGateway(GatewayAddress gateway);

    /** Harmless when there is none. */
    void removeGateway(String id);

    /** All of them, in the order of the ids' UTF-8. */
    List<GatewayAddress> gateways();

    @Override
    void close();
}
