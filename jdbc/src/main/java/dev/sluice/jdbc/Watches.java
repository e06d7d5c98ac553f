package dev.sluice.jdbc;

import dev.sluice.coordinate.CoordinationStore.Watch;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells watchers of changes: of this process's own at once, of other processes' by asking the database at intervals whether
 * the revisions below the watched prefixes still add up to the same. It asks only while there are watchers, once for all of
 * them, and then rests nine times as long as the answer took, within one to ten intervals.
 */
final class Watches implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Watches.class);
    private static final int REST = 9;
    private static final int LONGEST_REST = 10;
    private static final Duration UNTIL_WOKEN = Duration.ofDays(1);

    private final Function<Collection<String>, Map<String, String>> states;
    private final long intervalNanos;
    private final Loops loops;
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    private @Nullable Loop loop;
    private boolean closed;
    private long nextAsk = System.nanoTime();
    private boolean away;

    /** @param states for each of these prefixes something that differs when anything below it has changed */
    Watches(Function<Collection<String>, Map<String, String>> states, Duration interval, Loops loops) {
        this.states = states;
        this.intervalNanos = interval.toNanos();
        this.loops = loops;
    }

    private final class Watcher implements Watch {
        private final String prefix;
        private final Consumer<String> changed;

        /** Keys below the prefix that this process changed, and the watcher was not told of yet. */
        private final Set<String> due = ConcurrentHashMap.newKeySet();

        /** Unknown at first: what changed since it was opened must not be missed, so the first answer is told. */
        private @Nullable String state;

        Watcher(String prefix, Consumer<String> changed) {
            this.prefix = prefix;
            this.changed = changed;
        }

        void look(@Nullable String now) {
            if (now != null && !now.equals(state)) {
                state = now;
                tell(prefix);
            }
        }

        void tellDue() {
            for (String key : due) {
                if (due.remove(key)) {
                    tell(key);
                }
            }
        }

        void tellAll() {
            tell(prefix);
        }

        private void tell(String key) {
            try {
                changed.accept(key);
            } catch (RuntimeException failed) {
                log.atError().addKeyValue("prefix", prefix).setCause(failed).log("A watcher failed");
            }
        }

        @Override
        public void close() {
            watchers.remove(this);
        }
    }

    synchronized Watch open(String prefix, Consumer<String> changed) {
        Watcher watcher = new Watcher(prefix, changed);
        if (closed) {
            return watcher;
        }
        watchers.add(watcher);
        if (loop == null) {
            loop = loops.loop("sluice-jdbc-watches").start(this::round);
        }
        loop.wake();
        return watcher;
    }

    /** This process has changed a key. */
    void changed(String key) {
        boolean any = false;
        for (Watcher watcher : watchers) {
            if (key.startsWith(watcher.prefix)) {
                watcher.due.add(key);
                any = true;
            }
        }
        if (any) {
            wake();
        }
    }

    private synchronized void wake() {
        if (loop != null) {
            loop.wake();
        }
    }

    private Duration round() {
        for (Watcher watcher : watchers) {
            watcher.tellDue();
        }
        if (watchers.isEmpty()) {
            return UNTIL_WOKEN;
        }
        if (nextAsk - System.nanoTime() <= 0) {
            askAndRest();
        }
        return Duration.ofNanos(Math.max(0, nextAsk - System.nanoTime()));
    }

    private void askAndRest() {
        long asked = System.nanoTime();
        // A question that fails in an unknown way is not asked again before the next interval, whatever wakes the loop.
        nextAsk = asked + intervalNanos;
        ask();
        long answered = System.nanoTime();
        long rest = away
                ? intervalNanos
                : Math.clamp(REST * (answered - asked), intervalNanos, LONGEST_REST * intervalNanos);
        nextAsk = answered + rest;
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
                watchers.forEach(Watcher::tellAll);
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
        closed = true;
        watchers.clear();
        if (loop != null) {
            // Not waited for: a watcher that is being told may hold what the caller has.
            loop.interrupt();
        }
    }
}
