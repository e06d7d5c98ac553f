package dev.sluice.subscribe;

import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Makes the records of a store those of a registry: parts that many have are kept once, and records that version 0.1
 * wrote get a revision and a home.
 */
final class Loading {
    /** Records of version 0.1 get this revision: every revision that a registry allots is above it. */
    static final long MIGRATION = 1;

    private static final int MIGRATED_AT_ONCE = 1_000;

    private final Function<Subscription, Home> homes;
    private final UnaryOperator<Subscription> sharedTexts;
    private final UnaryOperator<Home> sharedHome;
    private final Map<Places, Places> places = new HashMap<>();
    private final List<SubscriptionRecord> migrated = new ArrayList<>();
    private boolean misplaced;

    /** @param homes of definitions now */
    Loading(
            Function<Subscription, Home> homes,
            UnaryOperator<Subscription> sharedTexts,
            UnaryOperator<Home> sharedHome) {
        this.homes = homes;
        this.sharedTexts = sharedTexts;
        this.sharedHome = sharedHome;
    }

    /** Whether a record has another home than its definition has now. */
    boolean isMisplaced() {
        return misplaced;
    }

    /** Returns the record as the registry holds it. */
    SubscriptionRecord take(SubscriptionRecord stored) {
        boolean old = stored.revision() == 0;
        Subscription definition = sharedTexts.apply(stored.definition());
        Home now = homes.apply(definition);
        SubscriptionRecord record = new SubscriptionRecord(
                definition.from().isEmpty() ? definition : definition.startingAt(Optional.empty()),
                sharedHome.apply(old ? now : stored.home()),
                old ? MIGRATION : stored.created(),
                old ? MIGRATION : stored.revision(),
                shared(stored.start()),
                shared(stored.changes()),
                stored.resync());
        if (old) {
            migrated.add(record);
        }
        misplaced |= !now.equals(record.home());
        return record;
    }

    private Places shared(Places some) {
        return places.computeIfAbsent(some, same -> same);
    }

    private List<SubscriptionRecord.Change> shared(List<SubscriptionRecord.Change> changes) {
        return changes.isEmpty()
                ? List.of()
                : changes.stream()
                        .map(each -> new SubscriptionRecord.Change(each.revision(), shared(each.since())))
                        .toList();
    }

    /**
     * Stores migrated records. Returns the mark that the registry goes on from.
     *
     * @throws SubscriptionStoreException when they cannot be stored; those that were are not migrated again
     */
    RegistryMark finish(SubscriptionStore store, RegistryMark loaded) {
        for (int from = 0; from < migrated.size(); from += MIGRATED_AT_ONCE) {
            store.save(migrated.subList(from, Math.min(migrated.size(), from + MIGRATED_AT_ONCE)));
        }
        return new RegistryMark(
                loaded.identity(), migrated.isEmpty() ? loaded.revision() : Math.max(loaded.revision(), MIGRATION));
    }
}
