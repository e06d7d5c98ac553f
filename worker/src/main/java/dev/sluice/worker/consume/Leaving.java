package dev.sluice.worker.consume;

import java.util.List;
import java.util.TreeSet;

/** Takes partitions out of the filters of consumers that no longer feed them. */
final class Leaving {
    private final WorkerContext context;
    private final Readers readers;
    private final UpdatePace pace;

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
