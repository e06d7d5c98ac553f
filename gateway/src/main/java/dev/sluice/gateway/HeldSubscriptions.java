package dev.sluice.gateway;

import dev.sluice.model.Priority;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What this gateway is subscribed to. Any thread may call. */
final class HeldSubscriptions {
    private static final int MOST_ENDING = 100_000;

    private final Map<String, HeldSubscription> byId = new ConcurrentHashMap<>();
    private final Map<String, Set<HeldSubscription>> toldOfUnknown = new ConcurrentHashMap<>();
    private final Supplier<Set<HeldSubscription>> sets;

    /** Ended here; the Streamer has not said yet that it knows. */
    private final Set<String> ending = ConcurrentHashMap.newKeySet();

    HeldSubscriptions() {
        this(ConcurrentHashMap::newKeySet);
    }

    /** @param sets makes them, for any thread to change; a test may look into what happens meanwhile */
    HeldSubscriptions(Supplier<Set<HeldSubscription>> sets) {
        this.sets = sets;
    }

    @Nullable
    HeldSubscription find(String id) {
        return byId.get(id);
    }

    /** Of too many the last end with their time to live. */
    void ends(String id) {
        if (ending.size() < MOST_ENDING) {
            ending.add(id);
        }
    }

    /** The Streamer knows, or the application wants them again. */
    void hasEnded(Collection<String> ids) {
        ending.removeAll(ids);
    }

    boolean isEnding(String id) {
        return ending.contains(id);
    }

    List<String> ending() {
        return List.copyOf(ending);
    }

    /** It, and not another that took its place. */
    boolean isHeld(HeldSubscription held) {
        return byId.get(held.id()) == held;
    }

    Collection<HeldSubscription> all() {
        return byId.values();
    }

    /**
     * Those that an event concerns of which nobody can know whom it concerns, the one whose name it has first. The Streamer
     * sends one per priority, in the order of that class.
     */
    List<HeldSubscription> concernedByUnknown(ReceivedEvent event, Priority priority) {
        Set<HeldSubscription> candidates = toldOfUnknown.getOrDefault(event.collection(), Set.of());
        return candidates.stream()
                .filter(held -> held.isOfTenant(event.tenant()) && held.isStoodForIn(priority))
                .sorted(Comparator.comparing(held -> !held.id().equals(event.subscriptionId())))
                .toList();
    }

    /**
     * Puts what the function makes of the one with this id, null if there is none, in its place; null removes it. Returns
     * what was there.
     */
    @Nullable
    HeldSubscription change(String id, UnaryOperator<@Nullable HeldSubscription> change) {
        HeldSubscription[] before = new HeldSubscription[1];
        byId.compute(id, (same, held) -> {
            before[0] = held;
            HeldSubscription changed = change.apply(held);
            // The new one enters before the old one leaves: what comes between finds one of them.
            if (changed != null && changed.isToldOfUnknown()) {
                toldOfUnknown.compute(changed.subscription().collection(), (collection, set) -> with(set, changed));
            }
            if (held != null && held != changed) {
                toldOfUnknown.computeIfPresent(
                        held.subscription().collection(), (collection, set) -> without(set, held));
            }
            return changed;
        });
        return before[0];
    }

    private Set<HeldSubscription> with(@Nullable Set<HeldSubscription> set, HeldSubscription held) {
        Set<HeldSubscription> grown = set == null ? sets.get() : set;
        grown.add(held);
        return grown;
    }

    private static @Nullable Set<HeldSubscription> without(Set<HeldSubscription> set, HeldSubscription held) {
        set.remove(held);
        return set.isEmpty() ? null : set;
    }
}
