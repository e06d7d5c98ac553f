package dev.sluice.subscribe;

import dev.sluice.match.Filter;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a batch comes to, one subscription after the other: changes, renewals, or too many. Nothing is done yet. */
final class Admission {
    private final SubscriptionQuotas quotas;
    private final SubscriptionTable table;
    private final RegistryView shown;
    private final Revisions revisions;
    private final Function<Subscription, Home> homes;
    private final Origins origins;
    private final Map<String, SubscriptionRecord> later = new HashMap<>();
    private final Map<String, Integer> moreOfGateway = new HashMap<>();
    private final Map<String, Integer> moreOfTenant = new HashMap<>();
    private int more;
    private long moreCharacters;
    private final List<Change> changes = new ArrayList<>();
    private final List<String> renewals = new ArrayList<>();
    private long revision;
    private @Nullable Places start;

    /**
     * @param earlier what has the id when the change's turn comes
     * @param filter the later one's, compiled
     */
    record Change(@Nullable SubscriptionRecord earlier, SubscriptionRecord later, Filter filter) {
        RegistryChange change() {
            return new RegistryChange(later.revision(), later.id(), earlier, later, null);
        }
    }

    /** @param homes where a subscription belongs now */
    Admission(
            SubscriptionQuotas quotas,
            SubscriptionTable table,
            RegistryView shown,
            Revisions revisions,
            Function<Subscription, Home> homes,
            Origins origins) {
        this.quotas = quotas;
        this.table = table;
        this.shown = shown;
        this.revisions = revisions;
        this.homes = homes;
        this.origins = origins;
    }

    List<Change> changes() {
        return changes;
    }

    /** The highest revision at which one of those taken in was last changed, as deliveries name it; 0: none was taken in. */
    long revision() {
        return revision;
    }

    /** The lowest place at which one of those taken in starts. */
    Optional<Places> start() {
        return Optional.ofNullable(start);
    }

    /** Ids of those that are there already just so. */
    List<String> renewals() {
        return renewals;
    }

    /** Takes it in, or says why there is no room. */
    Optional<String> admit(Subscription asked, Filter filter) {
        SubscriptionRecord record = later.containsKey(asked.id()) ? later.get(asked.id()) : shown.find(asked.id());
        Subscription earlier = record == null ? null : record.definition();
        // Records keep no from: their start stands for it.
        Subscription next = asked.from().isEmpty() ? asked : asked.startingAt(Optional.empty());
        boolean restarts = asked.from().isPresent();
        if (record != null && next.equals(earlier) && !restarts) {
            renewals.add(next.id());
            accepted(record);
            return Optional.empty();
        }
        Optional<String> tooMany = tooMany(next, earlier);
        if (tooMany.isEmpty()) {
            Subscription shared = table.shared(next);
            count(earlier, -1);
            count(shared, 1);
            Places from = origins.from(asked);
            SubscriptionRecord revised = record == null || from != null
                    ? revisions.created(shared, homes.apply(shared), from == null ? origins.since() : from)
                    : revisions.changed(record, shared, homes.apply(shared), origins.since());
            changes.add(new Change(record, revised, filter));
            later.put(shared.id(), revised);
            accepted(revised);
        }
        return tooMany;
    }

    private void accepted(SubscriptionRecord record) {
        revision = Math.max(revision, record.changedAt());
        Places lowest = start;
        start = lowest == null || lowest.equals(record.start()) ? record.start() : lowest.lower(record.start());
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
