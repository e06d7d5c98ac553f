package dev.sluice.log;

import dev.sluice.model.ClusterTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes out of the log what is old enough, and the oldest of what is too much. It knows no consumers: one that comes back
 * later than this is told that it missed events. Age is counted from the source's cluster time by our clock.
 *
 * <p>{@link #step} is called by one thread, a platform thread, once per interval of the policy. The counters may be read by
 * any. When to look is the caller's elapsed time, never the wall clock: a clock that is set back must not switch it off.
 */
public final class Retention {
    private final EventLog log;
    private final RetentionPolicy policy;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong early = new AtomicLong();

    public Retention(EventLog log, RetentionPolicy policy) {
        this.log = log;
        this.policy = policy;
    }

    /**
     * Evicts what has to go; returns how much.
     *
     * @param now by the wall clock, which an event's age is counted by
     */
    public Eviction step(Instant now) {
        Eviction old = evictOld(now);
        Eviction excess = evictExcess();
        early.addAndGet(excess.events());
        return count(new Eviction(old.events() + excess.events(), old.bytes() + excess.bytes()));
    }

    private Eviction evictOld(Instant now) {
        long cut = now.minus(policy.retention()).getEpochSecond();
        return cut <= 0
                ? Eviction.NOTHING
                : log.evict(new ClusterTime(ClusterTime.of(cut, 0).value() - 1));
    }

    private Eviction evictExcess() {
        long excess = log.state().bytes() - policy.maxBytes();
        return excess <= 0 ? Eviction.NOTHING : log.evict(endOfOldest(log.segments(), excess));
    }

    private static ClusterTime endOfOldest(List<Segment> segments, long excess) {
        ClusterTime end = ClusterTime.ZERO;
        for (Segment segment : segments) {
            end = segment.last();
            excess -= segment.bytes();
            if (excess <= 0) {
                break;
            }
        }
        return end;
    }

    private Eviction count(Eviction eviction) {
        events.addAndGet(eviction.events());
        bytes.addAndGet(eviction.bytes());
        return eviction;
    }

    /** Events taken out since the start. */
    public long evictedEvents() {
        return events.get();
    }

    public long evictedBytes() {
        return bytes.get();
    }

    /** Of these, how many had to leave before their age because the log was too big. */
    public long evictedEarly() {
        return early.get();
    }
}
