package dev.sluice.match;

import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The subscriptions of one collection, by tenant. Written under the index's lock, read by anyone. */
final class CollectionIndex {
    /** The tenant of those that see all tenants. */
    static final String ANY_TENANT = "";

    private final Map<String, Scope> byTenant = new ConcurrentHashMap<>(4);

    @Nullable
    Scope scope(String tenant) {
        return byTenant.get(tenant);
    }

    Collection<Scope> scopes() {
        return byTenant.values();
    }

    boolean isEmpty() {
        return byTenant.isEmpty();
    }

    boolean add(Subscription subscription, Filter filter) {
        return byTenant.computeIfAbsent(subscription.tenant(), tenant -> new Scope())
                .add(subscription, filter);
    }

    /** One that asks the same under another gateway or priority is there already. */
    void leavesItsAudience(Subscription earlier) {
        Scope scope = byTenant.get(earlier.tenant());
        if (scope != null) {
            scope.forgetFiltered(earlier);
        }
    }

    boolean remove(Subscription subscription, Filter filter) {
        Scope scope = byTenant.get(subscription.tenant());
        boolean removed = scope != null && scope.remove(subscription, filter);
        if (scope != null && scope.size() == 0) {
            byTenant.remove(subscription.tenant());
        }
        return removed;
    }
}
