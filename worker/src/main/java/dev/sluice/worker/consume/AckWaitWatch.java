package dev.sluice.worker.consume;

import dev.sluice.worker.Outcome;
import dev.sluice.worker.WorkerListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Compares {@code ack_wait} with the duration of handler calls: below three times their p95, a short silence of the worker
 * makes the server deliver messages again that are still being handled.
 */
public final class AckWaitWatch implements WorkerListener {
    private static final String PROBLEM = "ack-wait";
    private static final double SHARE = 0.95;
    private static final int FACTOR = 3;
    private static final int ENOUGH_CALLS = 100;

    /** From here on earlier calls count half, so that a handler that became faster is believed. */
    private static final int FADE_AT = 10_000;

    /** Bucket {@code i} counts calls that took less than 2^i ms. */
    private final AtomicIntegerArray calls = new AtomicIntegerArray(32);

    private final WorkerListener next;
    private final Duration ackWait;
    private final Problems problems;

    /** @param next is told everything as well */
    public AckWaitWatch(WorkerListener next, Duration ackWait, Problems problems) {
        this.next = next;
        this.ackWait = ackWait;
        this.problems = problems;
    }

    @Override
    public void updateTook(Duration time, boolean ok) {
        next.updateTook(time, ok);
    }

    @Override
    public void handoffTook(Duration time) {
        next.handoffTook(time);
    }

    @Override
    public void handled(Duration time, Outcome outcome) {
        next.handled(time, outcome);
        long millis = Math.clamp(time.toMillis(), 0, Integer.MAX_VALUE);
        calls.incrementAndGet(Math.min(calls.length() - 1, Long.SIZE - Long.numberOfLeadingZeros(millis)));
    }

    /** Reports ack_wait as a problem, or that it is none any more. */
    public void check() {
        int total = total();
        if (total < ENOUGH_CALLS) {
            return;
        }
        Duration p95 = percentile(total);
        if (p95.multipliedBy(FACTOR).compareTo(ackWait) > 0) {
            problems.report(
                    PROBLEM,
                    "ack_wait (" + ackWait.toMillis() + " ms) is below " + FACTOR
                            + " times the p95 of the handler (about " + p95.toMillis()
                            + " ms): messages may be delivered again while they are handled. Raise ack_wait.");
        } else {
            problems.clear(PROBLEM);
        }
        if (total >= FADE_AT) {
            fade();
        }
    }

    private int total() {
        int total = 0;
        for (int i = 0; i < calls.length(); i++) {
            total += calls.get(i);
        }
        return total;
    }

    /** The middle of the bucket in which the percentile lies. */
    private Duration percentile(int total) {
        long wanted = (long) Math.ceil(total * SHARE);
        long seen = 0;
        int bucket = -1;
        while (seen < wanted && bucket < calls.length() - 1) {
            bucket++;
            seen += calls.get(bucket);
        }
        return Duration.ofMillis((long) (0.75 * (1L << bucket)));
    }

    private void fade() {
        for (int i = 0; i < calls.length(); i++) {
            calls.updateAndGet(i, count -> count / 2);
        }
    }
}
