package dev.sluice.worker.consume;

import dev.sluice.worker.lane.LaneRunner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes partitions out of the filters of consumers that no longer feed them. */
final class Leaving {
    private static final Logger LOG = LoggerFactory.getLogger(Leaving.class);

    /** On a work queue lanes that have left wait for the change of the filters. */
    private static final int FAILURES_TO_REPLACE = 3;

    private final WorkerContext context;
    private final Readers readers;
    private final UpdatePace pace;
    private final Map<String, Integer> failures = new HashMap<>();

    Leaving(WorkerContext context, Readers readers, UpdatePace pace) {
        this.context = context;
        this.readers = readers;
        this.pace = pace;
    }

    void leave() {
        if (!context.trouble().lasts()) {
            readers.all().forEach(this::leave);
        }
    }

    private void leave(Reader reader) {
        // On interest streams it also depends on the partitions' next owners.
        if (context.kind() != StreamKind.INTEREST && reader.hasFiltersOfItsLanes()) {
            return;
        }
        List<String> wanted = wantedFilters(reader);
        boolean surplus = !reader.filters().equals(new TreeSet<>(wanted)) && !wanted.isEmpty();
        // On a work queue the next owner can begin only when the filter is gone.
        boolean paced = context.kind() != StreamKind.WORK_QUEUE && reader.isDurable();
        if (!surplus || paced && !pace.isDue(context.clockwork().nanos())) {
            return;
        }
        boolean done = readers.changeFilters(reader, wanted);
        if (paced) {
            pace.ended(done, context.clockwork().nanos());
        }
        if (done) {
            failures.remove(reader.name());
        } else if (failures.merge(reader.name(), 1, Integer::sum) >= FAILURES_TO_REPLACE
                && hasFilterOfUnfedLane(reader)) {
            LOG.warn(
                    "Consumer {} keeps subjects that other consumers of this worker need: it is replaced",
                    reader.name());
            failures.remove(reader.name());
            readers.detachAndRetire(reader);
        }
    }

    private boolean hasFilterOfUnfedLane(Reader reader) {
        return context.kind() == StreamKind.WORK_QUEUE
                && readers.lanes().stream()
                        .map(LaneRunner::lane)
                        .anyMatch(lane -> !lane.isFed()
                                && !lane.isStopped()
                                && reader.filters().contains(lane.partition().filter()));
    }

    private List<String> wantedFilters(Reader reader) {
        TreeSet<String> wanted = new TreeSet<>();
        reader.lanes().forEach(lane -> wanted.add(lane.lane().partition().filter()));
        if (context.kind() == StreamKind.INTEREST) {
            reader.filters().stream()
                    .filter(filter -> !readers.isCoveredElsewhere(filter))
                    .forEach(wanted::add);
        }
        return List.copyOf(wanted);
    }
}
