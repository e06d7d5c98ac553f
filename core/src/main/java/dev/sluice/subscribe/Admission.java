package dev.sluice.subscribe;

import dev.sluice.match.Filter;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a batch comes to, one subscription after the other: changes, renewals, or too many. Nothing is done yet. */
final class Admission {
    private final SubscriptionQuotas quotas;
    private final SubscriptionTable table;
    private final Map<String, Subscription> later = new HashMap<>();
    private final Map<String, Integer> moreOfGateway = new HashMap<>();
    private final Map<String, Integer> moreOfTenant = new HashMap<>();
    private int more;
    private long moreCharacters;
    private final List<Change> changes = new ArrayList<>();
    private final List<String> renewals = new ArrayList<>();

    /**
     * @param earlier what has the id when the change's turn comes
     * @param filter the later one's, compiled
     */
    record Change(@Nullable Subscription earlier, Subscription later, Filter filter) {}

    Admission(SubscriptionQuotas quotas, SubscriptionTable table) {
        this.quotas = quotas;
        this.table = table;
    }

    List<Change> changes() {
        return changes;
    }

    List<Subscription> changed() {
        return changes.stream().map(Change::later).toList();
    }

    List<Replacement> replacements() {
        return changes.stream()
                .map(change -> new Replacement(change.earlier, change.later))
                .toList();
    }

    /** Ids of those that are there already just so. */
    List<String> renewals() {
        return renewals;
    }

    /** Takes it in, or says why there is no room. */
    Optional<String> admit(Subscription asked, Filter filter) {
        Subscription earlier = later.containsKey(asked.id()) ? later.get(asked.id()) : table.find(asked.id());
        Subscription next = goingOn(asked, earlier);
        if (next.equals(earlier)) {
            renewals.add(next.id());
            return Optional.empty();
        }
        Optional<String> tooMany = tooMany(next, earlier);
        if (tooMany.isEmpty()) {
            Subscription shared = table.shared(next);
            count(earlier, -1);
            count(shared, 1);
            changes.add(new Change(earlier, shared, filter));
            later.put(shared.id(), shared);
        }
        return tooMany;
    }

    /** One that says nothing of where to start goes on where the earlier one of its id would have. */
    private static Subscription goingOn(Subscription next, @Nullable Subscription earlier) {
        return earlier == null || next.from().isPresent() || earlier.from().isEmpty()
                ? next
                : next.startingAt(earlier.from());
    }

    private Optional<String> tooMany(Subscription next, @Nullable Subscription earlier) {
        String gateway = next.gatewayId();
        String tenant = next.tenant();
        boolean newOnGateway =
                !gateway.isEmpty() && (earlier == null || !earlier.gatewayId().equals(gateway));
        boolean newOfTenant =
                !tenant.isEmpty() && (earlier == null || !earlier.tenant().equals(tenant));
        if (newOnGateway && ofGateway(gateway) >= quotas.perGateway()) {
            return Optional.of("gateway " + InvalidInputException.quote(gateway) + " has " + quotas.perGateway()
                    + " subscriptions already, the most one gateway may have");
        }
        if (newOfTenant && ofTenant(tenant) >= quotas.perTenant()) {
            return Optional.of("tenant " + InvalidInputException.quote(tenant) + " has " + quotas.perTenant()
                    + " subscriptions already, the most one tenant may have");
        }
        if (earlier == null && table.size() + more >= quotas.total()) {
            return Optional.of("there are " + quotas.total() + " subscriptions already, the most there may be");
        }
        long grows =
                SubscriptionQuotas.characters(next) - (earlier == null ? 0 : SubscriptionQuotas.characters(earlier));
        if (grows > 0 && table.characters() + moreCharacters + grows > quotas.characters()) {
            return Optional.of("all subscriptions together may have " + quotas.characters()
                    + " characters, and with this one they would have more");
        }
        return Optional.empty();
    }

    private int ofGateway(String gateway) {
        return table.sizeOfGateway(gateway) + moreOfGateway.getOrDefault(gateway, 0);
    }

    private int ofTenant(String tenant) {
        return table.sizeOfTenant(tenant) + moreOfTenant.getOrDefault(tenant, 0);
    }

    private void count(@Nullable Subscription subscription, int change) {
        if (subscription != null) {
            more += change;
            moreCharacters += (long) change * SubscriptionQuotas.characters(subscription);
            moreOfGateway.merge(subscription.gatewayId(), change, Integer::sum);
            moreOfTenant.merge(subscription.tenant(), change, Integer::sum);
        }
    }
}
