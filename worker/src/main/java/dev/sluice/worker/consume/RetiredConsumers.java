package dev.sluice.worker.consume;

import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Consumers of this worker that are used no more, until they are deleted. */
final class RetiredConsumers {
    private static final Logger LOG = LoggerFactory.getLogger(RetiredConsumers.class);

    /** How long a creation without an answer may still take effect. */
    private static final Duration UNDECIDED_FOR = Duration.ofMinutes(2);

    private static final Duration ASK_AGAIN_AFTER = Duration.ofSeconds(5);
    private static final Duration DELETING_AT_CLOSE = Duration.ofSeconds(2);

    private final WorkerContext context;
    private final Map<String, Retired> names = new LinkedHashMap<>();

    /** @param undecidedUntil while a consumer that is not there may still come to be; 0: it exists, or never will */
    private record Retired(Collection<String> filters, BooleanSupplier mayGo, long undecidedUntil, long askAt) {}

    RetiredConsumers(WorkerContext context) {
        this.context = context;
    }

    /** @param mayGo whether it may be deleted now */
    synchronized void add(String name, Collection<String> filters, BooleanSupplier mayGo) {
        names.put(name, new Retired(filters, mayGo, 0, context.clockwork().nanos()));
    }

    /** A consumer whose creation had no answer: it exists, or never will, or will a little later. */
    synchronized void addUndecided(String name, Collection<String> filters, BooleanSupplier mayGo) {
        long now = context.clockwork().nanos();
        names.put(name, new Retired(filters, mayGo, now + UNDECIDED_FOR.toNanos(), now));
    }

    /** Whether a consumer that may still exist has this filter. */
    synchronized boolean have(String filter) {
        return names.values().stream().anyMatch(retired -> retired.filters().contains(filter));
    }

    private synchronized Map<String, Retired> all() {
        return new LinkedHashMap<>(names);
    }

    /** Deletes what may be deleted. A name that fails does not keep the others; the first failure is thrown in the end. */
    void step() {
        @Nullable RuntimeException failure = null;
        for (Map.Entry<String, Retired> entry : all().entrySet()) {
            try {
                delete(entry.getKey(), entry.getValue());
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Deletes what may be deleted, for a short time and while the servers answer; the leader deletes the others. */
    void deleteSome() {
        long end = context.clockwork().nanos() + DELETING_AT_CLOSE.toNanos();
        boolean goesOn = true;
        for (Map.Entry<String, Retired> entry : all().entrySet()) {
            goesOn = goesOn
                    && delete(entry.getKey(), entry.getValue())
                    && context.clockwork().nanos() - end < 0;
        }
    }

    /** False when the server gave no answer. */
    private boolean delete(String name, Retired retired) {
        long now = context.clockwork().nanos();
        try {
            if (now - retired.askAt() < 0
                    || context.trouble().lasts()
                    || !retired.mayGo().getAsBoolean()) {
                return true;
            }
            boolean deleted = context.stream().consumers().delete(name);
            boolean decided = retired.undecidedUntil() == 0 || now - retired.undecidedUntil() >= 0;
            if (deleted || decided) {
                remove(name);
            } else {
                askAgain(name, retired, List.of());
            }
            return true;
        } catch (StreamUnavailableException e) {
            askAgain(name, retired, retired.filters());
            return false;
        } catch (StreamRefusedException e) {
            LOG.warn("Consumer {} cannot be deleted yet: {}", name, e.getMessage());
            askAgain(name, retired, retired.filters());
            return true;
        }
    }

    private synchronized void askAgain(String name, Retired retired, Collection<String> filters) {
        long askAt = context.clockwork().nanos() + ASK_AGAIN_AFTER.toNanos();
        names.replace(name, retired, new Retired(filters, retired.mayGo(), retired.undecidedUntil(), askAt));
    }

    private synchronized void remove(String name) {
        names.remove(name);
    }
}
