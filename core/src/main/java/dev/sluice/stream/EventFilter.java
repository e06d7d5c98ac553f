package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Which events one consumer gets. Decided on the stored form, without decoding a document.
 *
 * <p>Control events belong to every partition and every tenant. Those that name a collection are left out for consumers
 * that asked for other collections, except {@code resync} and {@code invalidate}, which always pass. A data event whose
 * tenant is not known passes a tenant filter only if that names the empty tenant: one tenant must not learn of another's
 * documents.
 */
public final class EventFilter {
    public static final EventFilter ALL = of(List.of(), 0, List.of(), List.of());

    /** More of a kind make no useful request, and every consumer's are kept in memory. */
    static final int MOST_NAMED = 10_000;

    private final int[] partitions;
    private final int numPartitions;
    private final Set<String> tenants;
    private final Set<String> collections;

    private EventFilter(int[] partitions, int numPartitions, Set<String> tenants, Set<String> collections) {
        this.partitions = partitions;
        this.numPartitions = numPartitions;
        this.tenants = tenants;
        this.collections = collections;
    }

    /**
     * Empty lists mean all.
     *
     * @param numPartitions 0: the consumer does not care about partitions
     * @throws InvalidInputException when the partitions do not fit to their number, or too much is named
     */
    public static EventFilter of(
            Collection<Integer> partitions,
            int numPartitions,
            Collection<String> tenants,
            Collection<String> collections) {
        refuseTooMany("partitions", partitions);
        refuseTooMany("tenants", tenants);
        refuseTooMany("collections", collections);
        if (numPartitions < 0) {
            throw new InvalidInputException(
                    "num_partitions is " + numPartitions + ": it must be 1 or more, or left out");
        }
        if (numPartitions == 0 && !partitions.isEmpty()) {
            throw new InvalidInputException("partitions are named without num_partitions: say of how many");
        }
        for (int partition : partitions) {
            if (partition < 0 || partition >= numPartitions) {
                throw new InvalidInputException("there is no partition " + partition + " of " + numPartitions
                        + ": partitions count from 0 to " + (numPartitions - 1));
            }
        }
        int[] sorted = partitions.stream()
                .mapToInt(Integer::intValue)
                .sorted()
                .distinct()
                .toArray();
        return new EventFilter(sorted, numPartitions, Set.copyOf(tenants), Set.copyOf(collections));
    }

    private static void refuseTooMany(String what, Collection<?> named) {
        if (named.size() > MOST_NAMED) {
            throw new InvalidInputException(named.size() + " " + what + " are named, " + MOST_NAMED
                    + " are allowed: name none to get all, or split them over several consumers");
        }
    }

    boolean passesAll() {
        return partitions.length == 0 && tenants.isEmpty() && collections.isEmpty();
    }

    public boolean passes(EventRecord event) {
        if (passesAll()) {
            return true;
        }
        return event.operation().isData() ? passesData(event) : passesControl(event);
    }

    private boolean passesData(EventRecord event) {
        return (collections.isEmpty() || collections.contains(event.collection()))
                && (tenants.isEmpty() || tenants.contains(event.tenant()))
                && (partitions.length == 0 || Arrays.binarySearch(partitions, partitionOf(event)) >= 0);
    }

    private boolean passesControl(EventRecord event) {
        Operation operation = event.operation();
        if (collections.isEmpty() || operation == Operation.RESYNC || operation == Operation.INVALIDATE) {
            return true;
        }
        String collection = event.collection();
        return collection.isEmpty() || collections.contains(collection);
    }

    /** The document's partition; 0 for control events and for consumers without partitions. */
    public int partitionOf(EventRecord event) {
        return numPartitions <= 1 || event.operation().isControl()
                ? 0
                : (int) Long.remainderUnsigned(event.partitionHash(), numPartitions);
    }
}
