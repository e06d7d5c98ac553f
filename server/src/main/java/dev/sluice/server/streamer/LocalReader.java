package dev.sluice.server.streamer;

import dev.sluice.log.EventLogException;
import dev.sluice.log.LogReader;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import dev.sluice.route.FeedOutOfRangeException;
import dev.sluice.route.FeedUnavailableException;
import dev.sluice.stream.BackendPosition;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.ConsumersView;
import dev.sluice.stream.EventStream;
import dev.sluice.stream.Step;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamRequest;
import dev.sluice.stream.WindowBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One partition's place in the logs of this process. It waits for their commits, not for time to pass. */
final class LocalReader implements EventFeed.Reader {
    /** What one read takes at most, a single larger document aside. */
    private static final long READ_BYTES = 1 << 20;

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SortedMap<String, LogReader> backends;
    private final StreamRequest request;
    private final StreamLimits limits;
    private final WindowBudget windows;
    private final ConsumersView consumers;
    private final long call;
    private final Instant since = Instant.now();
    private final Semaphore commits = new Semaphore(0);
    private List<Runnable> listening = List.of();
    private @Nullable EventStream stream;
    private boolean closed;

    /** Said after what came before it: the marker it brings lies behind that. */
    private @Nullable RuntimeException over;

    private long events;
    private long nextStatus;
    private volatile ConsumerStatus status;

    LocalReader(
            SortedMap<String, LogReader> backends,
            StreamRequest request,
            StreamLimits limits,
            WindowBudget windows,
            ConsumersView consumers) {
        this.backends = backends;
        this.request = request;
        this.limits = limits;
        this.windows = windows;
        this.consumers = consumers;
        this.call = consumers.nextCall();
        this.status = status(ConsumerStatus.State.CATCHING_UP, List.of());
    }

    @Override
    public EventFeed.Batch read(int maxEvents, Duration wait) {
        if (closed) {
            throw new FeedUnavailableException("this reader is closed: open another");
        }
        if (over != null) {
            throw end(over);
        }
        try {
            return next(maxEvents, System.nanoTime() + wait.toNanos());
        } catch (EventLogException broken) {
            throw end(new FeedUnavailableException("an event log cannot be read: " + broken.getMessage(), broken));
        } catch (Throwable broken) {
            // Its stream may have passed events that this batch would have held: it is not read again.
            close();
            throw broken;
        }
    }

    private EventFeed.Batch next(int maxEvents, long deadline) {
        var first = stream == null;
        var reading = stream == null ? begin() : stream;
        var found = new FeedSink();
        while (goesOn(
                reading.step(found, maxEvents, READ_BYTES, System.nanoTime()), first ? System.nanoTime() : deadline)) {
            commits.drainPermits();
        }
        if (over != null && found.isEmpty()) {
            throw end(over);
        }
        tell(reading, found.size());
        reading.heartbeats(found);
        return found.batch(ProgressMarker.decode(reading.marker().toString()));
    }

    private EventStream begin() {
        listening = backends.values().stream()
                .map(log -> log.onCommit(commits::release))
                .toList();
        consumers.enter(call, () -> status);
        stream = new EventStream(backends, request, limits, windows, System.nanoTime());
        return stream;
    }

    /** How it fares, once in a second. */
    private void tell(EventStream reading, int sent) {
        events += sent;
        var nanos = System.nanoTime();
        if (nextStatus == 0 || nanos - nextStatus >= 0) {
            nextStatus = nanos + STATUS_NANOS;
            status = status(
                    reading.behind() ? ConsumerStatus.State.CATCHING_UP : ConsumerStatus.State.LIVE,
                    reading.positions(nanos));
        }
    }

    private ConsumerStatus status(ConsumerStatus.State state, List<BackendPosition> positions) {
        return new ConsumerStatus(call, request.label(), "this process", since, state, events, positions);
    }

    /** Whether to step again, after waiting for it where that helps. */
    private boolean goesOn(Step step, long deadline) {
        return switch (step) {
            case Step.Sent sent -> false;
            case Step.Working working -> System.nanoTime() - deadline < 0;
            case Step.Waiting waiting -> await(deadline);
            case Step.OutOfRange gone -> {
                over = new FeedOutOfRangeException(gone.sentence(), ProgressMarker.decode(gone.oldest()));
                yield false;
            }
            case Step.TooFarAhead ahead -> {
                over = new FeedUnavailableException(ahead.sentence());
                yield false;
            }
        };
    }

    private RuntimeException end(RuntimeException reason) {
        close();
        return reason;
    }

    /** False when the time is over, or the thread was interrupted. */
    private boolean await(long deadline) {
        try {
            return commits.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        closed = true;
        consumers.leave(call);
        listening.forEach(Runnable::run);
        listening = List.of();
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }
}
