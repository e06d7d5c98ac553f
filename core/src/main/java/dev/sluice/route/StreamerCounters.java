package dev.sluice.route;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/** What happened since this process began to stream. Any thread may read. */
public final class StreamerCounters {
    final LongAdder events = new LongAdder();
    final LongAdder matches = new LongAdder();
    final LongAdder routed = new LongAdder();
    final LongAdder unmatchable = new LongAdder();
    final LongAdder batches = new LongAdder();
    final LongAdder delivered = new LongAdder();
    final LongAdder deliveryNanos = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder deadLetters = new LongAdder();
    final LongAdder softWatermark = new LongAdder();
    final LongAdder hardWatermark = new LongAdder();
    final LongAdder unreachable = new LongAdder();
    final LongAdder caughtUp = new LongAdder();
    final LongAdder reread = new LongAdder();
    final LongAdder resyncs = new LongAdder();
    final LongAdder gaps = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder fenced = new LongAdder();
    final LongAdder reports = new LongAdder();
    final LongAdder positionsShortened = new LongAdder();
    final LongAdder reportErrors = new LongAdder();
    final LongAdder reportNanos = new LongAdder();
    final LongAdder restarts = new LongAdder();
    final AtomicLong longestQueue = new AtomicLong();

    /** How long matching an event and handing its matches over took, in nanoseconds. */
    volatile LongConsumer routingTime = nanos -> {};

    private final Map<Backpressure, LongAdder> backpressure = new ConcurrentHashMap<>();

    /**
     * One cause for which lanes fall behind to a position.
     *
     * @param gateway empty for what no known gateway serves
     * @param level {@code soft} or {@code hard} watermark, or {@code unreachable}
     */
    public record Backpressure(String gateway, String level) {
        public static final List<String> LEVELS = List.of("soft", "hard", "unreachable");
    }

    /** Times a class of this gateway's lane fell behind for this cause. */
    public long backpressure(Backpressure cause) {
        LongAdder times = backpressure.get(cause);
        return times == null ? 0 : times.sum();
    }

    /** The gateway is gone. */
    void forget(String gateway) {
        backpressure.keySet().removeIf(cause -> cause.gateway().equals(gateway));
    }

    void fellBehind(String gateway, Lane.Room why) {
        backpressure
                .computeIfAbsent(
                        new Backpressure(gateway, why.name().toLowerCase(Locale.ROOT)), none -> new LongAdder())
                .increment();
        switch (why) {
            case SOFT -> softWatermark.increment();
            case HARD -> hardWatermark.increment();
            case UNREACHABLE -> unreachable.increment();
            case YES -> throw new IllegalArgumentException("there was room");
        }
    }

    /** Events read at the head of the partitions. */
    public long events() {
        return events.sum();
    }

    /** Events that are no BSON: nobody can be told. */
    public long unmatchable() {
        return unmatchable.sum();
    }

    public long matches() {
        return matches.sum();
    }

    /** Matches that a lane took. */
    public long routed() {
        return routed.sum();
    }

    /** Has each event's matching and routing measured, from now on; in nanoseconds, by the thread that does it. */
    public void measureRouting(LongConsumer times) {
        routingTime = times;
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

    /** Times a low class fell behind because its lane was filling up. */
    public long softWatermark() {
        return softWatermark.sum();
    }

    /** Times a class fell behind because its lane was full. */
    public long hardWatermark() {
        return hardWatermark.sum();
    }

    /** Times a class fell behind because its gateway was not there, or its breaker open. */
    public long unreachable() {
        return unreachable.sum();
    }

    /** Times a class, or a subscription that began in the past, came back to the head. */
    public long caughtUp() {
        return caughtUp.sum();
    }

    /** Events read again for those that were behind. */
    public long reread() {
        return reread.sum();
    }

    /** Subscriptions told to resync because what they were owed is no longer kept. */
    public long resyncs() {
        return resyncs.sum();
    }

    /** Times changes were missing: announced by the Puller, or found where a position was too old. */
    public long gaps() {
        return gaps.sum();
    }

    /** Matches that were on their way when their subscription ended. */
    public long dropped() {
        return dropped.sum();
    }

    /** Times a gateway knew a newer owner of a partition. */
    public long fenced() {
        return fenced.sum();
    }

    /** Positions that were too long to be saved, so that one that begins earlier was saved instead. */
    public long positionsShortened() {
        return positionsShortened.sum();
    }

    /** Positions handed to claims. */
    public long reports() {
        return reports.sum();
    }

    public long reportErrors() {
        return reportErrors.sum();
    }

    public long reportNanos() {
        return reportNanos.sum();
    }

    /** Times a partition's reading had to begin again. */
    public long restarts() {
        return restarts.sum();
    }

    /** The most matches that ever waited in one class of one lane. */
    public long longestQueue() {
        return longestQueue.get();
    }
}
