package dev.sluice.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts named loops and lists those that fail. A process has one instance; its health report reads {@link #failing()}.
 *
 * <p>Whatever a step throws, an {@link Error} included, the loop logs it under its name, waits (see {@link
 * Plan#retryAfter}) and calls the step again. So a step must leave its own state usable or discard it when it throws.
 */
public final class Loops {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final LongSupplier nanos;
    private final Set<Loop> running = ConcurrentHashMap.newKeySet();
    private final List<Supplier<List<LoopFailure>>> included = new CopyOnWriteArrayList<>();

    public Loops() {
        this(System::nanoTime);
    }

    /** @param nanos elapsed time, as {@link System#nanoTime()} */
    public Loops(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Describes a loop; {@link Plan#start} starts it. */
    public Plan loop(String name) {
        return new Plan(this, name, false, RETRY_AFTER, null);
    }

    /** Lists failures of loops that run on other threads than those of this instance among {@link #failing()}. */
    public void include(Supplier<List<LoopFailure>> others) {
        included.add(others);
    }

    /** The loops whose last step threw, or that ended although nobody stopped them, by name. Empty when all is well. */
    public List<LoopFailure> failing() {
        List<LoopFailure> failing = new ArrayList<>();
        for (Loop loop : running) {
            LoopFailure failure = loop.failure();
            if (failure != null) {
                failing.add(failure);
            }
        }
        included.forEach(others -> failing.addAll(others.get()));
        failing.sort((a, b) -> a.loop().compareTo(b.loop()));
        return failing;
    }

    long nanos() {
        return nanos.getAsLong();
    }

    void ended(Loop loop) {
        running.remove(loop);
    }

    /**
     * Name and options of a loop.
     *
     * @param retryAfter pause after the first failed step; it doubles with each further one, up to {@link Loop#LONGEST_PAUSE}
     * @param atEnd runs on the loop's thread behind the last step
     */
    public record Plan(
            Loops loops,
            String name,
            boolean platformThread,
            Duration retryAfter,
            @Nullable Runnable atEnd) {
        /** Uses a platform thread: for native calls (RocksDB), which would pin a virtual thread's carrier. */
        public Plan onPlatformThread() {
            return new Plan(loops, name, true, retryAfter, atEnd);
        }

        public Plan retryAfter(Duration pause) {
            return new Plan(loops, name, platformThread, pause, atEnd);
        }

        public Plan atEnd(Runnable task) {
            return new Plan(loops, name, platformThread, retryAfter, task);
        }

        public Loop start(Step step) {
            Loop loop = new Loop(this, step);
            loops.running.add(loop);
            loop.start();
            return loop;
        }
    }
}
