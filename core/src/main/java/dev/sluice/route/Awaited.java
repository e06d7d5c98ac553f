package dev.sluice.route;

import java.util.ArrayList;
import java.util.List;

/** Deliveries that were withdrawn while they were in flight: nothing of them is offered again before all have landed. */
final class Awaited {
    int inFlight;
    private final List<Awaited> others = new ArrayList<>(0);

    /** These are awaited, too. */
    void follow(Awaited other) {
        if (!other.isOver()) {
            others.add(other);
        }
    }

    boolean isOver() {
        return inFlight == 0 && others.stream().allMatch(Awaited::isOver);
    }
}
