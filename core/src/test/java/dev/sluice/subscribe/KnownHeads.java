package dev.sluice.subscribe;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.model.ProgressMarker;
import java.util.Map;
import java.util.TreeMap;

/** One log, whose head a test moves. */
final class KnownHeads implements LogHeads {
    static final long IDENTITY = 77;

    volatile int head = 1;
    volatile boolean known = true;

    static Places at(int second) {
        return new Places(new TreeMap<>(Map.of(
                "main", new Places.Place(IDENTITY, new Position(new EventId(ClusterTime.of(second, 1), 5), 1)))));
    }

    static ProgressMarker marker(long second) {
        return new ProgressMarker(Map.of("main", new EventId(ClusterTime.of(second, 1), 5)));
    }

    @Override
    public Places heads() {
        if (!known) {
            throw new NotReadyException("the head of main is not known yet");
        }
        return at(head);
    }

    @Override
    public Places resolve(ProgressMarker from) {
        return from.positions().isEmpty()
                ? Places.OLDEST
                : at((int) from.position("main").orElseThrow().time().t());
    }
}
