package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.EventOutcome;
import java.util.concurrent.atomic.LongAdder;

/** What a gateway has seen since it started; for metrics. Any thread may ask. */
public final class GatewayCounters {
    private final LongAdder handled = new LongAdder();
    private final LongAdder repeats = new LongAdder();
    private final LongAdder filtered = new LongAdder();
    private final LongAdder unknown = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder fenced = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LongAdder refused = new LongAdder();

    GatewayCounters() {}

    void count(Handling.Done done) {
        switch (done) {
            case HANDLED -> handled.increment();
            case REPEAT -> repeats.increment();
            case FILTERED -> filtered.increment();
            case UNKNOWN -> unknown.increment();
        }
    }

    void count(BatchOutcome outcome) {
        switch (outcome) {
            case BatchOutcome.Delivered all -> {}
            case BatchOutcome.PerEvent some -> {
                rejected.add(some.outcomes().stream()
                        .filter(EventOutcome.Rejected.class::isInstance)
                        .count());
                retried.add(some.outcomes().stream().anyMatch(EventOutcome.RetryLater.class::isInstance) ? 1 : 0);
            }
            case BatchOutcome.RetryLater later -> retried.increment();
            case BatchOutcome.Refused refusal -> refused.increment();
            case BatchOutcome.Fenced old -> fenced.increment();
        }
    }

    /** Events the application has. */
    public long handled() {
        return handled.sum();
    }

    /** Events it had already. */
    public long repeats() {
        return repeats.sum();
    }

    /** Events sent to every gateway that concern no subscription of this one. */
    public long filtered() {
        return filtered.sum();
    }

    /** Events of subscriptions nobody here has, acknowledged. */
    public long unknown() {
        return unknown.sum();
    }

    /** Events the application rejected. */
    public long rejected() {
        return rejected.sum();
    }

    /** Batches of a sender that has been replaced. */
    public long fenced() {
        return fenced.sum();
    }

    /** Batches that are to come again, or some of their events. */
    public long retried() {
        return retried.sum();
    }

    /** Batches that could not be read, or were too big. */
    public long refused() {
        return refused.sum();
    }
}
