package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Keeps the records of subscriptions, and the gateways, over a restart, each by its id. Any thread may call.
 *
 * <ul>
 *   <li>What {@link #save}, {@link #remove}, {@link #saveGateway} and {@link #removeGateway} do is whole or not done at
 *       all, and survives a crash once they return. The highest revision is part of the same write.
 *   <li>What cannot be done throws {@link SubscriptionStoreException}; what was there before stays. After any other
 *       Throwable, or when a disk failed, the write may have happened all the same: the caller repeats or reverts it.
 * </ul>
 */
public interface SubscriptionStore extends AutoCloseable {
    /** Puts each record in the place of the one with its id; of two with one id the later stays. */
    void save(Collection<SubscriptionRecord> records);

    /**
     * Forgets records. Harmless for ids that are not there.
     *
     * @param revision of the last of these removals
     */
    void remove(Collection<String> ids, long revision);

    /**
     * Shows every record, one at a time, in the order of the ids' UTF-8. A record that version 0.1 wrote has revision 0,
     * and its definition may have a {@code from}.
     *
     * @return identity and highest revision, as they were before the first record was shown
     */
    RegistryMark load(Consumer<SubscriptionRecord> each);

    void saveGateway(GatewayAddress gateway);

    /** Harmless when there is none. */
    void removeGateway(String id);

    /** All of them, in the order of the ids' UTF-8. */
    List<GatewayAddress> gateways();

    @Override
    void close();
}
