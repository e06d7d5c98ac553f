package dev.sluice.worker;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what an application's listener throws away from the worker. The first failure is logged, all are counted. */
final class GuardedListener implements WorkerListener {
    private static final Logger log = LoggerFactory.getLogger(GuardedListener.class);

    private final WorkerListener listener;
    private final WorkerCounters counters;

    GuardedListener(WorkerListener listener, WorkerCounters counters) {
        this.listener = listener;
        this.counters = counters;
    }

    @Override
    public void updateTook(Duration time, boolean ok) {
        call(() -> listener.updateTook(time, ok));
    }

    @Override
    public void handled(Duration time, Outcome outcome) {
        call(() -> listener.handled(time, outcome));
    }

    @Override
    public void handoffTook(Duration time) {
        call(() -> listener.handoffTook(time));
    }

    private void call(Runnable one) {
        try {
            one.run();
        } catch (Throwable failure) {
            failed(failure);
        }
    }

    private void failed(Throwable failure) {
        boolean first = counters.listenerFailures.sum() == 0;
        counters.listenerFailures.increment();
        if (first) {
            log.warn("worker listener {} failed; later failures are only counted", listener.getClass(), failure);
        }
    }
}
