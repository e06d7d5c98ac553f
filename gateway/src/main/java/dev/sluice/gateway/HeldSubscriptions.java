package dev.sluice.gateway;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What this gateway is subscribed to. Any thread may call. */
final class HeldSubscriptions {
    private final Map<String, HeldSubscription> byId = new ConcurrentHashMap<>();
    private final Map<String, Set<HeldSubscription>> toldOfUnknown = new ConcurrentHashMap<>();

    @Nullable
    HeldSubscription find(String id) {
        return byId.get(id);
    }

    Collection<HeldSubscription> all() {
        return byId.values();
    }

    /** Those that an event concerns of which nobody can know whom it concerns. */
    List<HeldSubscription> concernedByUnknown(ReceivedEvent event) {
        Set<HeldSubscription> candidates = toldOfUnknown.getOrDefault(event.collection(), Set.of());
        return candidates.stream()
                .filter(held -> held.isOfTenant(event.tenant()) && !held.id().equals(event.subscriptionId()))
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
            if (held != null) {
                toldOfUnknown.computeIfPresent(
                        held.subscription().collection(), (collection, set) -> without(set, held));
            }
            if (changed != null && changed.isToldOfUnknown()) {
                toldOfUnknown
                        .computeIfAbsent(
                                changed.subscription().collection(), collection -> ConcurrentHashMap.newKeySet())
                        .add(changed);
            }
            return changed;
        });
        return before[0];
    }

    private static @Nullable Set<HeldSubscription> without(Set<HeldSubscription> set, HeldSubscription held) {
        set.remove(held);
        return set.isEmpty() ? null : set;
    }
}
