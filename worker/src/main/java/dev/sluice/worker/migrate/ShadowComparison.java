package dev.sluice.worker.migrate;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.partition.FilterSet;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * The consumers a worker would have in the new mode, beside the consumers that handle. At the end of each window the messages
 * that both delivered of a partition are compared. For one thread, except {@link #close}.
 */
final class ShadowComparison {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
    private static final Duration TICK = Duration.ofMillis(20);

    /** Sequences that only one side has got yet, of all partitions together; it bounds the memory, about 64 bytes each. */
    private static final int UNMATCHED_OF_ALL = 200_000;

    private static final int MIN_UNMATCHED_OF_ONE = 1_000;
    private static final int MAX_UNMATCHED_OF_ONE = 10_000;

    private final WorkerContext context;
    private final Owner owner;
    private final ConsumerMode target;
    private final List<Shadow> shadows = new CopyOnWriteArrayList<>();
    private Verdict opened = Verdict.GOOD;
    private volatile boolean closed;

    /** The worker whose partitions are compared. */
    interface Owner {
        /** Its partitions that can get messages now. */
        List<Lane> lanes();

        /** Specifies a consumer whose deliveries are only compared. */
        ConsumerSpec shadow(List<String> filters, long startSequence);

        /** Deletes a consumer soon. */
        void retire(String consumer);
    }

    ShadowComparison(WorkerContext context, Owner owner, ConsumerMode target) {
        this.context = context;
        this.owner = owner;
        this.target = target;
    }

    /** Makes the shadows fit the partitions that the worker owns now. */
    void begin() {
        opened = Verdict.GOOD;
        Set<List<Lane>> wanted = new LinkedHashSet<>(wanted());
        end(shadows.stream()
                .filter(shadow -> !shadow.isUsable() || !wanted.contains(served(shadow)))
                .toList());
        Set<List<Lane>> served = shadows.stream().map(ShadowComparison::served).collect(Collectors.toSet());
        for (List<Lane> lanes : wanted) {
            if (!closed && opened.isGood() && !served.contains(lanes)) {
                open(lanes, wanted.size());
            }
        }
    }

    private static List<Lane> served(Shadow shadow) {
        return shadow.lanes().stream().map(ComparedLane::lane).toList();
    }

    /** Lanes by the shadow that serves them, as the new mode would divide them. */
    private List<List<Lane>> wanted() {
        boolean single = target == ConsumerMode.PER_PARTITION;
        List<Lane> fed =
                owner.lanes().stream().filter(ShadowComparison::isCompared).toList();
        long head = fed.stream().mapToLong(Lane::coverage).max().orElse(0);
        List<Lane> lanes = fed.stream()
                .filter(lane -> single || context.isNear(lane, head))
                .sorted(Comparator.comparingInt(lane -> lane.partition().index()))
                .toList();
        int size = single ? 1 : context.settings().maxSubjects();
        List<List<Lane>> divided = new ArrayList<>();
        for (int from = 0; from < lanes.size(); from += size) {
            divided.add(lanes.subList(from, Math.min(lanes.size(), from + size)));
        }
        return divided;
    }

    /** A partition that leaves is not compared. A fresh one has no place in the stream yet. */
    private static boolean isCompared(Lane lane) {
        return !lane.isStopped() && !lane.isFresh() && lane.isFed();
    }

    private void open(List<Lane> lanes, int planned) {
        int unmatched = Math.clamp(
                UNMATCHED_OF_ALL / Math.max(1, owner.lanes().size()), MIN_UNMATCHED_OF_ONE, MAX_UNMATCHED_OF_ONE);
        List<ComparedLane> compared =
                lanes.stream().map(lane -> new ComparedLane(lane, unmatched)).toList();
        long start = 1 + compared.stream().mapToLong(ComparedLane::begin).min().orElse(0);
        List<String> filters =
                lanes.stream().map(lane -> lane.partition().filter()).toList();
        try {
            Shadow shadow = new Shadow(owner.shadow(fewest(filters), start), compared, context.directory(), planned);
            shadows.add(shadow);
            shadow.open(context.stream().consumers());
            if (closed) {
                end(List.of(shadow));
            }
        } catch (StreamRefusedException refused) {
            // The stream may have no room for more consumers: the ones that handle come first.
            end(List.copyOf(shadows));
            opened = Verdict.bad("a shadow consumer could not be created: " + refused.getMessage());
        } catch (StreamUnavailableException unavailable) {
            opened = Verdict.neutral("a shadow consumer could not be created: " + unavailable.getMessage());
        }
    }

    private List<String> fewest(List<String> filters) {
        boolean literal = filters.stream().noneMatch(FilterSet::hasWildcard);
        return literal && filters.size() > 1
                ? FilterSet.of(filters, context.stream().state())
                : FilterSet.distinct(filters);
    }

    /** Compares the window that ends. Waits until the side that is behind has caught up. */
    Verdict verdict() {
        Verdict verdict = opened;
        List<ComparedLane> lanes = new ArrayList<>();
        for (Shadow shadow : shadows) {
            verdict = verdict.and(shadow.verdict());
            lanes.addAll(shadow.lanes());
        }
        if (!verdict.isGood()) {
            return verdict;
        }
        lanes.forEach(ComparedLane::mark);
        awaitReached(lanes);
        // A partition that moves away or lost its consumer says nothing of the new mode.
        lanes.removeIf(lane -> !isCompared(lane.lane()));
        for (ComparedLane lane : lanes) {
            verdict = verdict.and(lane.verdict(this::lastOf));
        }
        boolean nothing = lanes.isEmpty() && !owner.lanes().isEmpty();
        return nothing ? verdict.and(Verdict.neutral("no partition could be compared")) : verdict;
    }

    private long lastOf(String filter) {
        return context.stream().lastOf(filter).orElse(0);
    }

    private void awaitReached(List<ComparedLane> lanes) {
        Clockwork.Signal tick = context.clockwork().signal();
        long until = context.clockwork().nanos() + LONGEST_WAIT.toNanos();
        while (!closed
                && context.clockwork().nanos() - until < 0
                && !lanes.stream().allMatch(lane -> lane.isReached() || !isCompared(lane.lane()))) {
            tick.await(TICK);
        }
    }

    private void end(List<Shadow> over) {
        shadows.removeAll(over);
        for (Shadow shadow : over) {
            shadow.close();
            owner.retire(shadow.name());
        }
    }

    void close() {
        closed = true;
        end(List.copyOf(shadows));
    }
}
