package dev.sluice.match;

import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who has been told of an event. While the index stands still nobody is met twice; only when it has changed meanwhile are
 * the ids compared: a subscription that moves can be met in its old and in its new place.
 */
final class ToldSubscriptions {
    private static final int KEPT = 4096;

    private List<Subscription> told = new ArrayList<>();
    private @Nullable Set<String> ids;

    /** Returns false for one that was told before. */
    boolean add(Subscription subscription) {
        if (ids != null && !ids.add(subscription.id())) {
            return false;
        }
        told.add(subscription);
        return true;
    }

    boolean comparesIds() {
        return ids != null;
    }

    void compareIds() {
        if (ids != null) {
            return;
        }
        Set<String> known = new HashSet<>();
        told.forEach(subscription -> known.add(subscription.id()));
        ids = known;
    }

    void clear() {
        if (told.size() > KEPT) {
            told = new ArrayList<>();
        } else {
            told.clear();
        }
        ids = null;
    }
}
