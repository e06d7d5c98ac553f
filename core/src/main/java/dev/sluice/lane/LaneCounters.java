package dev.sluice.lane;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counters of all lanes since this process began to stream. Any thread may read. */
public class LaneCounters {
    final LongAdder batches = new LongAdder();
    final LongAdder delivered = new LongAdder();
    final LongAdder deliveryNanos = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder deadLetters = new LongAdder();
    final LongAdder fenced = new LongAdder();
    final AtomicLong longestQueue = new AtomicLong();

    private final Map<Backpressure, LongAdder> backpressure = new ConcurrentHashMap<>();
    private final Map<Lane.Room, LongAdder> fellBehind = new ConcurrentHashMap<>();

    /**
     * One cause for which groups fall behind to a position.
     *
     * @param gateway empty for what no known gateway serves
     * @param level {@code soft} or {@code hard} watermark, or {@code unreachable}
     */
    public record Backpressure(String gateway, String level) {
        public static final List<String> LEVELS = List.of("soft", "hard", "unreachable");
    }

    /** A group of this gateway has fallen behind; empty: no known gateway serves it. */
    public void fellBehind(String gateway, Lane.Room why) {
        if (why == Lane.Room.YES) {
            throw new IllegalArgumentException("there was room");
        }
        backpressure
                .computeIfAbsent(
                        new Backpressure(gateway, why.name().toLowerCase(Locale.ROOT)), none -> new LongAdder())
                .increment();
        fellBehind.computeIfAbsent(why, none -> new LongAdder()).increment();
    }

    /** The gateway is gone. */
    void forget(String gateway) {
        backpressure.keySet().removeIf(cause -> cause.gateway().equals(gateway));
    }

    /** Times a group of this gateway fell behind for this cause. */
    public long backpressure(Backpressure cause) {
        return sum(backpressure.get(cause));
    }

    /** Times a group fell behind for this cause, of all gateways that there ever were. */
    public long fellBehind(Lane.Room why) {
        return sum(fellBehind.get(why));
    }

    private static long sum(@Nullable LongAdder adder) {
        return adder == null ? 0 : adder.sum();
    }

    /** Batches that a gateway took, wholly or in part. */
    public long batches() {
        return batches.sum();
    }

    /** Matches that a gateway took. */
    public long delivered() {
        return delivered.sum();
    }

    /** Time from sending to the answer, of all attempts. */
    public long deliveryNanos() {
        return deliveryNanos.sum();
    }

    /** Attempts that failed. */
    public long failures() {
        return failures.sum();
    }

    /** Attempts that were not the first of their batch. */
    public long retries() {
        return retries.sum();
    }

    public long deadLetters() {
        return deadLetters.sum();
    }

    /** Times a gateway knew a newer owner of a partition. */
    public long fenced() {
        return fenced.sum();
    }

    /** The most matches that ever waited in one class of one lane. */
    public long longestQueue() {
        return longestQueue.get();
    }
}
