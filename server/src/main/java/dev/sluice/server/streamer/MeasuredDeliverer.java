package dev.sluice.server.streamer;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** How long attempts take, whatever comes of them. */
record MeasuredDeliverer(Deliverer inner, Timer latency) implements Deliverer {
    @Override
    public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
        var start = System.nanoTime();
        return inner.deliver(batch).whenComplete((outcome, bug) -> {
            if (!batch.isProbe()) {
                latency.record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
            }
        });
    }

    @Override
    public Duration unfencedFor() {
        return inner.unfencedFor();
    }

    @Override
    public void close() {
        inner.close();
    }
}
