package dev.sluice.worker.consume;

import dev.sluice.worker.partition.FilterSet;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates consumers and changes their filters, counted and timed. A failure is logged with the difference that was to be
 * made, leaves the consumers as they are, and becomes a problem for health when it is repeated.
 */
final class ConsumerUpdates {
    private static final Logger LOG = LoggerFactory.getLogger(ConsumerUpdates.class);
    private static final String PROBLEM = "consumer-updates";
    private static final int PROBLEM_AFTER = 3;
    private static final int SHOWN = 5;

    private final WorkerContext context;
    private final RetiredConsumers retired;
    private final Predicate<Collection<String>> mayBeDeleted;
    private final AtomicInteger failuresInARow = new AtomicInteger();

    /** @param mayBeDeleted whether a consumer with these filters may be deleted now */
    ConsumerUpdates(WorkerContext context, RetiredConsumers retired, Predicate<Collection<String>> mayBeDeleted) {
        this.mayBeDeleted = mayBeDeleted;
        this.context = context;
        this.retired = retired;
    }

    /** Null when it failed. A consumer that may exist nevertheless is deleted later. */
    @Nullable
    ConsumerState create(ConsumerSpec spec, Collection<String> before) {
        long start = begin();
        try {
            ConsumerState state = context.stream().consumers().create(compressed(spec));
            succeeded(start);
            return state;
        } catch (StreamUnavailableException undecided) {
            retired.addUndecided(spec.name(), spec.filters(), () -> mayBeDeleted.test(spec.filters()));
            failed(start, spec, before, undecided);
            return null;
        } catch (StreamRefusedException refused) {
            failed(start, spec, before, refused);
            if (refused.code() == StreamRefusedException.FILTERS_OVERLAP) {
                throw refused;
            }
            return null;
        } catch (RuntimeException | Error unknown) {
            retired.addUndecided(spec.name(), spec.filters(), () -> mayBeDeleted.test(spec.filters()));
            throw unknown;
        }
    }

    boolean changeFilters(ConsumerSpec spec, Collection<String> before) {
        long start = begin();
        try {
            context.stream().consumers().changeFilters(compressed(spec));
            succeeded(start);
            return true;
        } catch (StreamUnavailableException | StreamRefusedException failed) {
            failed(start, spec, before, failed);
            return false;
        }
    }

    /** Asks for the stream's own subjects only where fewer filters are possible. */
    private ConsumerSpec compressed(ConsumerSpec spec) {
        boolean literal = spec.filters().stream().noneMatch(FilterSet::hasWildcard);
        return context.kind() == StreamKind.LIMITS && literal && spec.filters().size() > 1
                ? spec.withFilters(FilterSet.of(spec.filters(), context.stream().state()))
                : spec;
    }

    private long begin() {
        context.counters().updates.increment();
        return context.clockwork().nanos();
    }

    private void succeeded(long start) {
        failuresInARow.set(0);
        context.problems().clear(PROBLEM);
        context.listener().updateTook(Duration.ofNanos(context.clockwork().nanos() - start), true);
    }

    private void failed(long start, ConsumerSpec spec, Collection<String> before, RuntimeException cause) {
        int failures = failuresInARow.incrementAndGet();
        context.counters().updateFailures.increment();
        context.listener().updateTook(Duration.ofNanos(context.clockwork().nanos() - start), false);
        String difference = difference(Set.copyOf(before), Set.copyOf(spec.filters()));
        LOG.warn("Consumer {} could not be updated ({}): {}", spec.name(), difference, cause.getMessage());
        if (failures >= PROBLEM_AFTER) {
            context.problems()
                    .report(
                            PROBLEM,
                            "Consumers of this worker could not be updated " + failures + " times in a row ("
                                    + difference + "): " + cause.getMessage()
                                    + " It goes on with the consumers it has, and tries again.");
        }
    }

    private static String difference(Set<String> before, Set<String> after) {
        return "adds " + shown(after, before) + ", removes " + shown(before, after);
    }

    private static String shown(Set<String> of, Set<String> without) {
        List<String> left = new ArrayList<>(of);
        left.removeAll(without);
        left.sort(null);
        String first = String.join(", ", left.subList(0, Math.min(SHOWN, left.size())));
        return left.size() <= SHOWN ? "[" + first + "]" : "[" + first + " and " + (left.size() - SHOWN) + " more]";
    }
}
