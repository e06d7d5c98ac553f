package dev.sluice.route;

import dev.sluice.match.Matcher;
import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The registry, as routing sees it. Any thread may call, but never while holding a lock of this package. */
public interface KnownSubscriptions {
    /** For one thread. */
    Matcher matcher();

    Optional<Subscription> find(String id);

    /** All of one gateway; of the empty id, those that name none. */
    List<Subscription> ofGateway(String gatewayId);

    /** Of every gateway that has a subscription, the empty id among them. */
    Set<String> gatewayIds();

    /** They have got past their {@code from} in every partition here: a restart does not begin there again. */
    void started(Collection<Subscription> subscriptions);
}
