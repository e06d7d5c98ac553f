package dev.sluice.worker.migrate;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.Tally;
import dev.sluice.worker.partition.FilterSet;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consumers a worker would have in the new mode, beside those that handle. At the end of each window the messages that
 * both delivered of a partition are compared, over the same interval of sequences. For one thread, except {@link #close}.
 */
final class ShadowComparison {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowComparison.class);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
    private static final Duration TICK = Duration.ofMillis(20);
    private static final Duration LONGEST_DELETING = Duration.ofSeconds(2);

    private final WorkerContext context;
    private final Supplier<List<Lane>> owned;
    private final Specs specs;
    private final ConsumerMode target;
    private final List<Group> groups = new CopyOnWriteArrayList<>();
    private Verdict opened = Verdict.GOOD;
    private volatile boolean closed;

    /** Specifies a consumer whose deliveries are only counted. */
    interface Specs {
        ConsumerSpec shadow(List<String> filters, long startSequence);
    }

    /** Lanes that one shadow serves. */
    private record Group(List<ComparedLane> lanes, Shadow shadow) {
        boolean isOf(List<Lane> others) {
            return others.equals(lanes.stream().map(ComparedLane::lane).toList());
        }
    }

    /** @param owned the lanes of the worker now that can get messages */
    ShadowComparison(WorkerContext context, Supplier<List<Lane>> owned, Specs specs, ConsumerMode target) {
        this.context = context;
        this.owned = owned;
        this.specs = specs;
        this.target = target;
    }

    /** Makes the shadows fit the partitions that the worker owns now. */
    void begin() {
        opened = Verdict.GOOD;
        List<List<Lane>> wanted = wanted();
        end(groups.stream()
                .filter(group -> !group.shadow().isOpen() || wanted.stream().noneMatch(group::isOf))
                .toList());
        for (List<Lane> lanes : wanted) {
            if (!closed && opened.isGood() && groups.stream().noneMatch(group -> group.isOf(lanes))) {
                open(lanes);
            }
        }
    }

    /** Lanes by the shadow that serves them, as the new mode would divide them. */
    private List<List<Lane>> wanted() {
        boolean single = target == ConsumerMode.PER_PARTITION;
        List<Lane> fed =
                owned.get().stream().filter(ShadowComparison::isCompared).toList();
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

    private void open(List<Lane> lanes) {
        List<ComparedLane> compared = lanes.stream().map(ComparedLane::new).toList();
        long start = 1 + compared.stream().mapToLong(ComparedLane::start).min().orElse(0);
        Map<Integer, Tally> tallies = new HashMap<>();
        compared.forEach(each -> tallies.put(each.lane().partition().index(), each.seen()));
        List<String> filters =
                lanes.stream().map(lane -> lane.partition().filter()).toList();
        try {
            Shadow shadow =
                    new Shadow(specs.shadow(fewest(filters), start), tallies, context.directory(), groups::size);
            Group group = new Group(compared, shadow);
            groups.add(group);
            shadow.open(context.stream().consumers());
            if (closed) {
                end(List.of(group));
            }
        } catch (StreamRefusedException refused) {
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
        if (!opened.isGood()) {
            return opened;
        }
        List<ComparedLane> lanes = new ArrayList<>();
        for (Group group : groups) {
            String broken = group.shadow().brokenBy();
            if (broken != null) {
                return Verdict.bad("a shadow consumer failed: " + broken);
            }
            lanes.addAll(group.lanes());
        }
        lanes.forEach(ComparedLane::mark);
        awaitReached(lanes);
        // One that moves away, or got another consumer by a gap, says nothing of the new mode.
        lanes.removeIf(lane -> !isCompared(lane.lane()));
        Verdict verdict = Verdict.GOOD;
        for (ComparedLane lane : lanes) {
            verdict = verdict.and(lane.verdict(this::lastOf));
        }
        boolean nothing = lanes.isEmpty() && !owned.get().isEmpty();
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

    /** Ends shadows, and deletes for a short time what answers. Servers delete the others when nobody pulls for a minute. */
    private void end(List<Group> over) {
        groups.removeAll(over);
        over.forEach(group -> {
            group.lanes().forEach(ComparedLane::close);
            group.shadow().close();
        });
        long until = context.clockwork().nanos() + LONGEST_DELETING.toNanos();
        boolean answered = true;
        for (Group group : over) {
            answered = answered && context.clockwork().nanos() - until < 0 && delete(group.shadow());
        }
    }

    /** False when the server gave no answer. */
    private boolean delete(Shadow shadow) {
        try {
            context.stream().consumers().delete(shadow.name());
            return true;
        } catch (StreamRefusedException | StreamUnavailableException failed) {
            LOG.debug("Shadow {} is left to its server: {}", shadow.name(), failed.getMessage());
            return false;
        }
    }

    void close() {
        closed = true;
        end(List.copyOf(groups));
    }
}
