package dev.sluice.worker.consume;

import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.StoredClaims;
import dev.sluice.coordinate.StoredClaims.StoredClaim;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.Partition;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.cursor.CursorTable;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what dead lives of workers left behind: their cursors, once no claim names them, and their consumers. Run by the
 * leader, and by a worker whose consumer the server refuses because another consumer has its subjects. A consumer of a dead
 * life is never changed or continued, only deleted; on interest streams not before every partition of it has a newer owner
 * with a consumer of its own.
 */
public final class Housekeeping {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

    private static final long SNAPSHOT_NANOS = Duration.ofMillis(500).toNanos();

    private final WorkerContext context;
    private final String prefix;
    private final GroupControl control;
    private final CursorStore cursors;
    private final Supplier<PartitionMap> partitions;
    private volatile @Nullable Snapshot latest;

    public Housekeeping(WorkerContext context, String prefix, GroupControl control, CursorStore cursors) {
        this.context = context;
        this.prefix = prefix;
        this.control = control;
        this.cursors = cursors;
        this.partitions = context.directory();
    }

    public void step() {
        // The values first: one that is written after the claims were listed is not among them.
        Map<String, Entry> values = cursors.values();
        List<String> consumers = context.stream().consumers().names(prefix + '-');
        StoredClaims claims = control.claims();
        removeCursors(values, claims);
        removeConsumers(consumers, values, claims);
    }

    private void removeCursors(Map<String, Entry> values, StoredClaims claims) {
        List<Entry> unneeded = new ArrayList<>();
        values.forEach((incarnation, entry) -> {
            if (!claims.isNamed(incarnation)) {
                unneeded.add(entry);
            }
        });
        cursors.remove(unneeded);
    }

    private void removeConsumers(List<String> names, Map<String, Entry> values, StoredClaims claims) {
        Set<String> living = new HashSet<>();
        claims.live().values().forEach(incarnation -> living.add(ConsumerSpecs.shortened(incarnation)));
        Consumers consumers = context.stream().consumers();
        for (String name : names) {
            String incarnation = ConsumerSpecs.incarnationOf(prefix, name);
            if (!incarnation.isEmpty() && !living.contains(incarnation)) {
                remove(consumers, name, values, claims);
            }
        }
    }

    /** A consumer whose server is down answers nothing, and must not keep the others from being looked at. */
    private void remove(Consumers consumers, String name, Map<String, Entry> values, StoredClaims claims) {
        try {
            if (mayGo(consumers, name, values, claims) && !context.trouble().lasts()) {
                LOG.info("Consumer {} of a worker that is gone is deleted", name);
                consumers.delete(name);
            }
        } catch (StreamUnavailableException | StreamRefusedException e) {
            LOG.debug("Consumer {} of a worker that is gone cannot be deleted yet: {}", name, e.getMessage());
        } catch (RuntimeException e) {
            LOG.warn("Consumer {} of a worker that is gone cannot be deleted yet", name, e);
        }
    }

    private boolean mayGo(Consumers consumers, String name, Map<String, Entry> values, StoredClaims claims) {
        if (context.kind() != StreamKind.INTEREST) {
            return true;
        }
        Optional<ConsumerState> state = consumers.info(name);
        return state.isPresent() && state.get().filters().stream().allMatch(filter -> hasOwner(filter, values, claims));
    }

    private boolean hasOwner(String filter, Map<String, Entry> values, StoredClaims claims) {
        Optional<Partition> partition = partitions.get().withFilter(filter);
        // A filter that is not in the directory: this view of it is old.
        return partition.isPresent() && ownerHasConsumer(partition.get().index(), values, claims);
    }

    private static boolean ownerHasConsumer(int partition, Map<String, Entry> values, StoredClaims claims) {
        StoredClaim claim = claims.claims().get(partition);
        if (claim == null || !claim.live()) {
            return false;
        }
        Entry value = values.get(claim.incarnation());
        return value != null && CursorTable.parse(value.value()).of(partition, claim.token()) != null;
    }

    /**
     * Whether another worker has taken a partition that this one held under this token, and reads it by now. On interest
     * streams asked before the partition leaves this worker's consumer.
     */
    public boolean hasSuccessor(int partition, FencingToken before) {
        Snapshot now = snapshot();
        StoredClaim claim = now.claims().claims().get(partition);
        return claim != null
                && before.isOlderThan(claim.token())
                && ownerHasConsumer(partition, now.values(), now.claims());
    }

    private record Snapshot(Map<String, Entry> values, StoredClaims claims, long takenAt) {}

    /** One listing for all partitions that are asked about within a second. An old answer can only say "not yet". */
    private Snapshot snapshot() {
        Snapshot last = latest;
        long now = context.clockwork().nanos();
        if (last != null && now - last.takenAt() < SNAPSHOT_NANOS) {
            return last;
        }
        Snapshot next = new Snapshot(cursors.values(), control.claims(), now);
        latest = next;
        return next;
    }
}
