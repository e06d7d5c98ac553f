package dev.sluice.worker.lane;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.worker.LaneStatus.Waiting;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.MessageHandler;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.stream.StreamMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Handles the messages of one lane: in order, with retries in place, then as dead letters. It has a thread only while there
 * is something to handle.
 */
public final class LaneRunner {
    private static final Logger LOG = LoggerFactory.getLogger(LaneRunner.class);
    private static final Duration DEAD_LETTER_RETRY = Duration.ofSeconds(1);

    /** Handler calls at once in one partition that is ordered by key. */
    private static final int PARALLEL_KEYS = 64;

    /** What the runners of one worker share. */
    public record Shop(
            MessageHandler handler,
            DeadLetterSink deadLetters,
            WorkerSettings settings,
            WorkerCounters counters,
            WorkerListener listener,
            Clockwork clockwork,
            InstantSource wallClock,
            String worker,
            BooleanSupplier paused,
            Recorder recorder) {}

    /** Writes a lane's cursor now, before an attempt that may kill this process. */
    public interface Recorder {
        void record(Lane lane);
    }

    private final Lane lane;
    private final BooleanSupplier held;
    private final Shop shop;
    private final Set<Clockwork.Signal> pauses = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private boolean interrupted;
    private volatile Waiting waiting = Waiting.NO;
    private volatile @Nullable String lastError;

    /** @param held whether the claim is still this worker's */
    public LaneRunner(Lane lane, BooleanSupplier held, Shop shop) {
        this.lane = lane;
        this.held = held;
        this.shop = shop;
    }

    public Lane lane() {
        return lane;
    }

    /** There may be something to handle. */
    public void kick() {
        while (startOne()) {
            // Until there is a thread for each message that may run now.
        }
    }

    private boolean startOne() {
        if (shop.paused().getAsBoolean() || !held.getAsBoolean()) {
            return false;
        }
        Item first;
        synchronized (this) {
            if (interrupted) {
                return false;
            }
            first = lane.next(PARALLEL_KEYS);
            if (first == null) {
                return false;
            }
        }
        try {
            shop.clockwork().start("worker-" + lane.partition().id(), () -> run(first));
        } catch (RuntimeException | Error noThread) {
            lane.putBack(first);
            throw noThread;
        }
        return true;
    }

    private void run(Item first) {
        threads.add(Thread.currentThread());
        try {
            @Nullable Item item = first;
            while (item != null) {
                handleOrPutBack(item);
                boolean goesOn = !shop.paused().getAsBoolean() && held.getAsBoolean() && !isInterrupted();
                item = goesOn ? lane.next(PARALLEL_KEYS) : null;
            }
        } finally {
            threads.remove(Thread.currentThread());
            kick();
        }
    }

    private void handleOrPutBack(Item item) {
        boolean finished = false;
        try {
            finished = handle(item);
        } catch (RuntimeException | Error bug) {
            if (!shop.clockwork().goesOnAfter(bug)) {
                throw bug;
            }
            LOG.error("Partition {}: handling message {} failed; it is tried again", id(), item.sequence(), bug);
            pause(Waiting.RETRY, DEAD_LETTER_RETRY);
        } finally {
            // Also when logging or pausing throws: an item that runs for ever would stop its partition.
            if (finished) {
                lane.finish(item);
            } else {
                lane.putBack(item);
            }
        }
    }

    /** Whether the message is handled or kept; false when it is left to be handled later, or by another worker. */
    private boolean handle(Item item) {
        @Nullable Instant firstFailure = null;
        int postponed = 0;
        while (mayGoOn()) {
            if (item.failures() >= shop.settings().attempts()) {
                return keep(item, firstFailure, lastFailure(item));
            }
            if (lane.isSuspicious()) {
                shop.recorder().record(lane);
            }
            Outcome outcome = attempt(item);
            if (!mayStillCount()) {
                return false;
            }
            if (outcome instanceof Outcome.Done) {
                shop.counters().handled.increment();
                lastError = null;
                return true;
            }
            if (outcome instanceof Outcome.Later later) {
                shop.counters().retried.increment();
                lastError = later.reason();
                postponed++;
                pause(Waiting.RETRY, shop.settings().pauseAfter(postponed));
                continue;
            }
            lane.failed(item);
            firstFailure = firstFailure == null ? shop.wallClock().instant() : firstFailure;
            if (outcome instanceof Outcome.Reject rejected) {
                lastError = rejected.reason();
                return keep(item, firstFailure, rejected.reason());
            }
            shop.counters().retried.increment();
            lastError = ((Outcome.Retry) outcome).reason();
            LOG.debug("Partition {}: message {} failed: {}", id(), item.sequence(), lastError);
            if (item.failures() < shop.settings().attempts()) {
                pause(Waiting.RETRY, shop.settings().pauseAfter(item.failures()));
            }
        }
        return false;
    }

    private String lastFailure(Item item) {
        String error = lastError;
        return error != null
                ? error
                : "it was tried " + item.failures() + " times by workers that died while they handled it";
    }

    /** The outcome of a handler that was interrupted because the partition moves does not count. */
    private boolean mayStillCount() {
        return held.getAsBoolean() && !isInterrupted();
    }

    private boolean mayGoOn() {
        return held.getAsBoolean()
                && !lane.isStopped()
                && !isInterrupted()
                && !shop.paused().getAsBoolean();
    }

    private Outcome attempt(Item item) {
        StreamMessage message = item.delivery();
        MessageContext context = new MessageContext(
                message.subject(), id(), shop.worker(), item.receivedAt(), item.failures() + 1, lane.token());
        long start = shop.clockwork().nanos();
        MDC.put("subject", message.subject());
        MDC.put("partition", id());
        MDC.put("worker", shop.worker());
        Outcome outcome;
        try {
            outcome = shop.handler().handle(context, message);
        } catch (Throwable thrown) {
            if (!shop.clockwork().goesOnAfter(thrown)) {
                throw Thrown.unchecked(thrown);
            }
            LOG.warn(
                    "Partition {}: the handler threw on message {}, attempt {}",
                    id(),
                    item.sequence(),
                    context.attempt(),
                    thrown);
            outcome = Outcome.retry(String.valueOf(thrown));
        } finally {
            MDC.remove("subject");
            MDC.remove("partition");
            MDC.remove("worker");
            clearInterrupt();
        }
        shop.listener().handled(Duration.ofNanos(shop.clockwork().nanos() - start), outcome);
        return outcome;
    }

    /** A handler that leaves the flag set must not disturb the pauses and the messages behind it. */
    private void clearInterrupt() {
        // The flag is read first: clearing it takes a lock, and this is done for every message.
        if (Thread.currentThread().isInterrupted() && !isInterrupted() && Thread.interrupted()) {
            LOG.debug("Partition {}: the handler left its thread interrupted", id());
        }
    }

    /** Waits for the dead-letter stream as long as it takes. */
    private boolean keep(Item item, @Nullable Instant firstFailure, String reason) {
        Instant since = firstFailure == null ? shop.wallClock().instant() : firstFailure;
        while (mayGoOn()) {
            String problem = shop.deadLetters()
                    .keep(new DeadLetterSink.GivenUp(
                            lane.partition(),
                            lane.stream(),
                            item.delivery(),
                            shop.worker(),
                            item.failures(),
                            reason,
                            since));
            if (problem == null) {
                shop.counters().deadLettered.increment();
                LOG.warn(
                        "Partition {}: message {} became a dead letter after {} attempts: {}",
                        id(),
                        item.sequence(),
                        item.failures(),
                        reason);
                lastError = null;
                return mayStillCount();
            }
            lastError = problem;
            pause(Waiting.DEAD_LETTERS, DEAD_LETTER_RETRY);
        }
        return false;
    }

    private void pause(Waiting why, Duration time) {
        Clockwork.Signal wake = shop.clockwork().signal();
        pauses.add(wake);
        waiting = why;
        try {
            long until = shop.clockwork().nanos() + time.toNanos();
            long left = time.toNanos();
            while (left > 0 && mayGoOn()) {
                wake.await(Duration.ofNanos(left));
                left = until - shop.clockwork().nanos();
            }
        } finally {
            waiting = Waiting.NO;
            pauses.remove(wake);
        }
    }

    private String id() {
        return lane.partition().id();
    }

    private synchronized boolean isInterrupted() {
        return interrupted;
    }

    /** Lets the running handler finish, and begins nothing else. */
    public void stop() {
        lane.stop();
        pauses.forEach(Clockwork.Signal::raise);
    }

    /** Waits until no handler runs; false when that takes longer. */
    public boolean awaitIdle(Duration atMost) {
        long until = shop.clockwork().nanos() + atMost.toNanos();
        Clockwork.Signal tick = shop.clockwork().signal();
        while (lane.isRunning()) {
            if (shop.clockwork().nanos() - until >= 0) {
                return false;
            }
            tick.await(Duration.ofMillis(2));
        }
        return true;
    }

    /** The outcome of what runs now does not count any more. */
    public void interrupt() {
        synchronized (this) {
            interrupted = true;
        }
        lane.stop();
        threads.forEach(shop.clockwork()::interrupt);
        pauses.forEach(Clockwork.Signal::raise);
    }

    /** Whether its message has failed and is tried again, or waits for the dead-letter stream. */
    public boolean isWaiting() {
        return waiting != Waiting.NO || lastError != null;
    }

    public Waiting waiting() {
        return lane.isStopped() ? Waiting.HANDOFF : waiting;
    }

    public @Nullable String lastError() {
        return lastError;
    }
}
