package dev.sluice.lane;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Deliveries that were withdrawn while they were in flight: nothing of them is offered again before all have landed. */
public final class Awaited {
    public int inFlight;
    private final Set<Awaited> others = Collections.newSetFromMap(new IdentityHashMap<>(2));

    /** These are awaited, too. */
    public void follow(Awaited other) {
        if (other != this && other.inFlight > 0) {
            others.add(other);
        }
        for (Awaited each : other.others) {
            if (each != this && each.inFlight > 0) {
                others.add(each);
            }
        }
    }

    public boolean isOver() {
        if (!others.isEmpty()) {
            others.removeIf(each -> each.inFlight == 0);
        }
        return inFlight == 0 && others.isEmpty();
    }
}
