package dev.sluice.coordinate;

import java.util.OptionalLong;

/** Proof of life that ends by the store's clock, unless it is renewed. */
public interface Lease extends AutoCloseable {
    /**
     * Lets it live for its whole time from now.
     *
     * @return false when it has ended; it cannot be revived
     * @throws StoreUnavailableException when nobody knows; it may have been renewed
     */
    boolean renew();

    /**
     * {@link CoordinationStore#put}, refused when this lease has ended. Stores with transactions over both (etcd, JDBC,
     * memory) decide that in one atomic step; NATS KV looks before it writes, unless the lease was renewed in the first half of its time. Either way the compare-and-set is what
     * keeps the value safe: the lease only keeps the dead from claiming.
     */
    OptionalLong put(String key, byte[] value, long expected);

    /** Ends it at once, if it is still live. When the store is away it is left to expire. */
    @Override
    void close();
}
