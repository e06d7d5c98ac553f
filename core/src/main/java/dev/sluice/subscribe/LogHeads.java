package dev.sluice.subscribe;

import dev.sluice.model.Places;
import dev.sluice.model.ProgressMarker;

/** The heads of all logs, as this node has heard of them. Any thread may call. */
@FunctionalInterface
public interface LogHeads {
    /**
     * Returns the highest position heard of in each log, every log named. Answers at once where it can, and returns the
     * same object while nothing has changed: records keep it.
     *
     * @throws NotReadyException while the head of a log is not known
     */
    Places heads();

    /**
     * Returns the places of a marker, as positions of the present logs where they can be resolved now. A log that the
     * marker does not name stays unnamed: its oldest event.
     *
     * @throws NotReadyException when the logs must be asked and cannot be
     */
    default Places resolve(ProgressMarker from) {
        return Places.of(from);
    }
}
