package dev.sluice.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Keys;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An entry of a bucket whose entries end by their age: renewing writes it again. It is mine while the last revision I know is
 * the last, or holds my name: after a renewal whose answer was lost nobody else can have written that.
 */
final class NatsLease implements Lease {
    private static final Logger LOG = LoggerFactory.getLogger(NatsLease.class);

    private final NatsBucket bucket;
    private final Supplier<NatsBucket> values;
    private final String name;
    private final String holder;
    private final Duration ttl;
    private final ReentrantLock renewals = new ReentrantLock();
    private long revision;
    private volatile long sentAt;
    private volatile boolean closed;

    /** @param sentAt by the monotonic clock, before the opening was sent */
    NatsLease(
            NatsBucket bucket,
            Supplier<NatsBucket> values,
            String name,
            String holder,
            long revision,
            Duration ttl,
            long sentAt) {
        this.ttl = ttl;
        this.sentAt = sentAt;
        this.bucket = bucket;
        this.values = values;
        this.name = name;
        this.holder = holder;
        this.revision = revision;
    }

    /** Tried again after a refusal only if it is mine all the same; one refused twice is not known to have ended. */
    @Override
    public boolean renew() {
        renewals.lock();
        try {
            return renewInTurn();
        } finally {
            renewals.unlock();
        }
    }

    private boolean renewInTurn() {
        for (int attempt = 0; attempt < 2; attempt++) {
            long sending = System.nanoTime();
            OptionalLong renewed = bucket.put(name, holder.getBytes(UTF_8), revision);
            if (renewed.isPresent()) {
                revision = renewed.getAsLong();
                sentAt = sending;
                return true;
            }
            if (!findsMine()) {
                return false;
            }
        }
        throw new StoreUnavailableException("NATS refuses to renew the lease " + name + " though it is live.");
    }

    private boolean findsMine() {
        Optional<Entry> mine = mine();
        mine.ifPresent(now -> revision = now.revision());
        return mine.isPresent();
    }

    private Optional<Entry> mine() {
        return bucket.get(name).filter(now -> now.text().equals(holder));
    }

    /**
     * Looks without the lock: a renewal never waits for it. Does not even look in the first half of the time that the last
     * renewal gave: the entry is then as surely there as after a look.
     */
    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        Keys.check(key);
        Keys.checkValue(value);
        return isYoung() || mine().isPresent() ? values.get().put(key, value, expected) : OptionalLong.empty();
    }

    private boolean isYoung() {
        return !closed && System.nanoTime() - sentAt < ttl.toNanos() / 2;
    }

    @Override
    public void close() {
        closed = true;
        renewals.lock();
        try {
            if (findsMine()) {
                bucket.delete(name, revision);
            }
        } catch (StoreUnavailableException leftToExpire) {
            LOG.atDebug().setCause(leftToExpire).addKeyValue("lease", name).log("lease left to expire");
        } finally {
            renewals.unlock();
        }
    }
}
