package dev.sluice.coordinate.memory;

import dev.sluice.coordinate.Keys;
import dev.sluice.coordinate.Lease;
import java.util.OptionalLong;

/** A lease of {@link SharedMemory}, which alone changes its deadline, under its lock. */
final class MemoryLease implements Lease {
    private final SharedMemory memory;
    private final String name;
    private final String holder;
    private final long ttlNanos;
    private long liveSince;

    MemoryLease(SharedMemory memory, String name, String holder, long ttlNanos, long now) {
        this.memory = memory;
        this.name = name;
        this.holder = holder;
        this.ttlNanos = ttlNanos;
        this.liveSince = now;
    }

    String name() {
        return name;
    }

    String holder() {
        return holder;
    }

    void liveFrom(long now) {
        liveSince = now;
    }

    boolean isLive(long now) {
        return now - liveSince < ttlNanos;
    }

    @Override
    public boolean renew() {
        return memory.renew(this);
    }

    @Override
    public OptionalLong put(String key, byte[] value, long expected) {
        return memory.put(Keys.check(key), Keys.checkValue(value), expected, () -> memory.isLive(this));
    }

    @Override
    public void close() {
        memory.close(this);
    }

    @Override
    public String toString() {
        return name + " of " + holder;
    }
}
