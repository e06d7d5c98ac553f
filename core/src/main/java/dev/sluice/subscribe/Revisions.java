package dev.sluice.subscribe;

import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Makes the next record of a subscription, with the next revision. A number is never used twice: one whose change could
 * not be stored is left out. For one thread at a time.
 */
final class Revisions {
    private static final int RECENT_HOMES = 1_024;

    private final UnaryOperator<Home> sharing;
    private long last;
    private Places lastPlaces = Places.OLDEST;
    /** Homes of records that may not be shown yet, such as those of the same batch. */
    private final Map<Home, Home> recent = new HashMap<>();

    /**
     * @param last the highest revision that was ever used
     * @param sharing returns the object for a home that other records have already
     */
    Revisions(long last, UnaryOperator<Home> sharing) {
        this.last = last;
        this.sharing = sharing;
    }

    long last() {
        return last;
    }

    long next() {
        return ++last;
    }

    SubscriptionRecord created(Subscription definition, Home home, Places start) {
        long revision = next();
        return new SubscriptionRecord(definition, shared(home), revision, revision, shared(start), List.of(), 0);
    }

    /** The record with another definition or home. */
    SubscriptionRecord changed(SubscriptionRecord before, Subscription definition, Home home, Places since) {
        long revision = next();
        return new SubscriptionRecord(
                definition,
                shared(home),
                before.created(),
                revision,
                before.start(),
                with(before.changes(), new SubscriptionRecord.Change(revision, shared(since))),
                before.resync());
    }

    /** The record with a RESYNC asked for. */
    SubscriptionRecord resynced(SubscriptionRecord before) {
        long revision = next();
        return new SubscriptionRecord(
                before.definition(),
                before.home(),
                before.created(),
                revision,
                before.start(),
                before.changes(),
                revision);
    }

    /** Merges the two eldest when there would be too many: the higher revision with the lower place. */
    static List<SubscriptionRecord.Change> with(
            List<SubscriptionRecord.Change> earlier, SubscriptionRecord.Change latest) {
        List<SubscriptionRecord.Change> all = new ArrayList<>(earlier);
        all.add(latest);
        if (all.size() > SubscriptionRecord.CHANGES_KEPT) {
            SubscriptionRecord.Change eldest = all.removeFirst();
            SubscriptionRecord.Change next = all.removeFirst();
            Places lower = eldest.since().lower(next.since());
            all.addFirst(new SubscriptionRecord.Change(next.revision(), lower));
        }
        return all;
    }

    private Home shared(Home home) {
        if (recent.size() >= RECENT_HOMES) {
            recent.clear();
        }
        return recent.computeIfAbsent(home, sharing);
    }

    /** Returns the places of the record before, where they are equal: a million records do not keep a million copies. */
    private Places shared(Places places) {
        if (!places.equals(lastPlaces)) {
            lastPlaces = places;
        }
        return lastPlaces;
    }
}
