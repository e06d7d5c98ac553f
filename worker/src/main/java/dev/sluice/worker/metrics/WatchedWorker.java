package dev.sluice.worker.metrics;

import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerStatus;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The worker that the meters read. Its status is asked for once per scrape, not once per series. */
final class WatchedWorker {
    private static final long STATUS_VALID_NANOS = Duration.ofMillis(100).toNanos();

    private record Source(Supplier<WorkerStatus> status, WorkerCounters counters) {}

    private @Nullable Source source;
    private @Nullable WorkerStatus known;
    private Consumer<WorkerStatus> onRead = status -> {};
    private long readAt;

    synchronized void watch(Supplier<WorkerStatus> status, WorkerCounters counters) {
        source = new Source(status, counters);
        known = null;
    }

    /** Calls the listener with every status that is read. */
    synchronized void onRead(Consumer<WorkerStatus> listener) {
        onRead = listener;
    }

    synchronized double counted(ToLongFunction<WorkerCounters> value) {
        Source now = source;
        return now == null ? 0 : value.applyAsLong(now.counters());
    }

    double told(ToDoubleFunction<WorkerStatus> value) {
        WorkerStatus status = status();
        return status == null ? 0 : value.applyAsDouble(status);
    }

    private synchronized @Nullable WorkerStatus status() {
        Source now = source;
        if (now != null && (known == null || System.nanoTime() - readAt >= STATUS_VALID_NANOS)) {
            WorkerStatus read = now.status().get();
            readAt = System.nanoTime();
            known = read;
            onRead.accept(read);
        }
        return known;
    }
}
