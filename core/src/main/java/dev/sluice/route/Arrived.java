package dev.sluice.route;

import dev.sluice.lane.Lane;
import dev.sluice.lane.PendingDelivery;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Inbox of a partition: other threads put in, the partition's own thread takes out. */
final class Arrived {
    private List<PendingDelivery> settled = new ArrayList<>();
    private List<PendingDelivery> stuck = new ArrayList<>();
    private final Set<Lane> filled = new LinkedHashSet<>();
    private boolean lanesChanged;
    private boolean dozing;

    /** Returns whether the partition is to be woken: one that dozes looks soon by itself. */
    synchronized boolean settled(Collection<PendingDelivery> done) {
        settled.addAll(done);
        return !dozing;
    }

    /** The partition is about to sleep, for a moment where it dozes. Returns whether it may: nothing was acknowledged meanwhile. */
    synchronized boolean sleeps(boolean dozes) {
        dozing = dozes;
        return dozes || settled.isEmpty();
    }

    synchronized void stuck(PendingDelivery delivery) {
        stuck.add(delivery);
    }

    synchronized void lanesChanged() {
        lanesChanged = true;
    }

    /** These lanes are to be pumped. */
    synchronized void fill(Collection<Lane> lanes) {
        filled.addAll(lanes);
    }

    synchronized List<PendingDelivery> takeSettled() {
        List<PendingDelivery> taken = settled;
        settled = new ArrayList<>();
        return taken;
    }

    synchronized List<PendingDelivery> takeStuck() {
        List<PendingDelivery> taken = stuck;
        stuck = new ArrayList<>();
        return taken;
    }

    synchronized boolean hasLanesChanged() {
        return lanesChanged;
    }

    synchronized boolean takeLanesChanged() {
        boolean changed = lanesChanged;
        lanesChanged = false;
        return changed;
    }

    synchronized List<Lane> takeFilled() {
        List<Lane> taken = List.copyOf(filled);
        filled.clear();
        return taken;
    }
}
