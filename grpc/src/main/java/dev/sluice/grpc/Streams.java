package dev.sluice.grpc;

import dev.sluice.log.LogReader;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import dev.sluice.stream.ConsumersView;
import dev.sluice.stream.EventForms;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamMeter;
import dev.sluice.stream.WindowBudget;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * What all calls of a Puller share: the logs, a few platform threads (native reads would hold up the carriers of virtual
 * ones), a clock that wakes calls, and the list of consumers.
 */
final class Streams implements AutoCloseable {
    private final SortedMap<String, LogReader> backends;
    private final PullerOptions options;
    private final ConsumersView consumers;
    private final EventForms forms;
    private final WindowBudget windows;
    private final ThreadLocal<EventLayout> layouts;
    private final Map<Long, ConsumerCall> calls = new ConcurrentHashMap<>();
    private final ExecutorService threads;
    private final Loop clock;
    private volatile boolean stopping;

    Streams(Map<String, LogReader> backends, PullerOptions options, Loops loops) {
        this.backends = Collections.unmodifiableSortedMap(new TreeMap<>(backends));
        this.options = options;
        this.consumers = new ConsumersView(options.maxConnections());
        this.forms = new EventForms(options.formBytes());
        this.windows = new WindowBudget(options.limits().windowBytes());
        this.layouts = ThreadLocal.withInitial(() -> new EventLayout(forms));
        this.threads = Executors.newFixedThreadPool(
                options.threads(),
                Thread.ofPlatform().daemon().name("sluice-stream-", 0).factory());
        this.clock = loops.loop("sluice-stream-clock").onPlatformThread().start(this::tickAll);
    }

    /** Often enough to notice a slow consumer and to keep heartbeats on time. */
    private Duration tick() {
        Duration shortest = options.slowThreshold().dividedBy(2);
        Duration heartbeat = options.limits().heartbeat().dividedBy(4);
        shortest = heartbeat.compareTo(shortest) < 0 ? heartbeat : shortest;
        Duration least = Duration.ofMillis(5);
        return shortest.compareTo(least) < 0 ? least : shortest;
    }

    private Duration tickAll() {
        long nanos = System.nanoTime();
        calls.values().forEach(call -> call.tick(nanos));
        return tick();
    }

    /** Lists and starts the call; false when there are too many, or the server is stopping. */
    boolean admit(long id, ConsumerCall call) {
        if (!consumers.admit(id, call::status)) {
            return false;
        }
        calls.put(id, call);
        call.start();
        if (stopping) {
            call.stop();
        }
        return true;
    }

    void left(long id) {
        calls.remove(id);
        consumers.leave(id);
    }

    SortedMap<String, LogReader> backends() {
        return backends;
    }

    StreamLimits limits() {
        return options.limits();
    }

    Duration slowThreshold() {
        return options.slowThreshold();
    }

    Duration criticalThreshold() {
        return options.criticalThreshold();
    }

    StreamMeter meter() {
        return options.meter();
    }

    Executor threads() {
        return threads;
    }

    /** The calling thread's own. */
    EventLayout layout() {
        return layouts.get();
    }

    ConsumersView consumers() {
        return consumers;
    }

    WindowBudget windows() {
        return windows;
    }

    /** Every call ends after the batch it is sending. */
    void stop() {
        stopping = true;
        calls.values().forEach(ConsumerCall::stop);
    }

    @Override
    public void close() {
        clock.close();
        threads.shutdown();
        try {
            if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException stop) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
