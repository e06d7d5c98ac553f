package dev.sluice.jdbc;

import dev.sluice.coordinate.CoordinationStore.Watch;
import dev.sluice.coordinate.StoreUnavailableException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of changes: of this process's own at once, of others' by asking the database at intervals whether the revisions
 * below the watched prefixes still add up to the same. It asks only while somebody watches, once for all of them, and
 * then rests nine times as long as the answer took, within one to ten intervals.
 */
final class Watches implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Watches.class);
    private static final int REST = 9;
    private static final int LONGEST_REST = 10;
    /** Not a key: begins a round without a change. */
    private static final String NOTHING = "";

    private final Function<Collection<String>, Map<String, String>> states;
    private final long intervalNanos;
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> changedKeys = new LinkedBlockingQueue<>();
    private @Nullable Thread thread;
    private long nextAsk = System.nanoTime();
    private boolean away;

    /** @param states for each of these prefixes something that differs when anything below it has changed */
    Watches(Function<Collection<String>, Map<String, String>> states, Duration interval) {
        this.states = states;
        this.intervalNanos = interval.toNanos();
    }

    private final class Watcher implements Watch {
        private final String prefix;
        private final Runnable changed;
        /** Unknown at first: what changed since it was opened must not be missed, so the first answer is told. */
        private @Nullable String state;

        Watcher(String prefix, Runnable changed) {
            this.prefix = prefix;
            this.changed = changed;
        }

        void look(@Nullable String now) {
            if (now != null && !now.equals(state)) {
                state = now;
                tell();
            }
        }

        void tell() {
            try {
                changed.run();
            } catch (RuntimeException failed) {
                log.atError().addKeyValue("prefix", prefix).setCause(failed).log("A watcher failed");
            }
        }

        @Override
        public void close() {
            watchers.remove(this);
        }
    }

    synchronized Watch open(String prefix, Runnable changed) {
        Watcher watcher = new Watcher(prefix, changed);
        watchers.add(watcher);
        if (thread == null) {
            thread = Thread.ofVirtual().name("sluice-jdbc-watches").start(this::run);
        }
        changedKeys.add(NOTHING);
        return watcher;
    }

    /** This process has changed a key. */
    void changed(String key) {
        if (!watchers.isEmpty()) {
            changedKeys.add(key);
        }
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                round();
            }
        } catch (InterruptedException closed) {
            // The store is closed.
        }
    }

    private void round() throws InterruptedException {
        String key = watchers.isEmpty()
                ? changedKeys.take()
                : changedKeys.poll(nextAsk - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (key != null) {
            Set<String> keys = new HashSet<>(Set.of(key));
            changedKeys.drainTo(keys);
            tell(watcher -> keys.stream().anyMatch(changed -> changed.startsWith(watcher.prefix)));
        }
        if (nextAsk - System.nanoTime() <= 0) {
            long asked = System.nanoTime();
            ask();
            long took = System.nanoTime() - asked;
            long rest = away ? intervalNanos : Math.clamp(REST * took, intervalNanos, LONGEST_REST * intervalNanos);
            nextAsk = System.nanoTime() + rest;
        }
    }

    private void tell(Predicate<Watcher> which) {
        watchers.stream().filter(which).forEach(Watcher::tell);
    }

    private void ask() {
        Set<String> prefixes = watchers.stream().map(watcher -> watcher.prefix).collect(Collectors.toSet());
        if (prefixes.isEmpty()) {
            return;
        }
        try {
            Map<String, String> now = states.apply(prefixes);
            if (away) {
                away = false;
                log.info("The database answers the watches again");
                tell(watcher -> true);
            }
            watchers.forEach(watcher -> watcher.look(now.get(watcher.prefix)));
        } catch (StoreUnavailableException failed) {
            if (!away) {
                log.atWarn().setCause(failed).log("The watches see no changes of others until the database answers");
            }
            away = true;
        }
    }

    @Override
    public synchronized void close() {
        watchers.clear();
        if (thread != null) {
            thread.interrupt();
        }
    }
}
