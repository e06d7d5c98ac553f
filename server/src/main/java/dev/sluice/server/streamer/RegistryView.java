package dev.sluice.server.streamer;

import dev.sluice.match.Matcher;
import dev.sluice.model.Subscription;
import dev.sluice.route.KnownSubscriptions;
import dev.sluice.subscribe.SubscriptionRegistry;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The registry, as routing sees it. */
record RegistryView(SubscriptionRegistry registry) implements KnownSubscriptions {
    @Override
    public Matcher matcher() {
        return registry.matcher();
    }

    @Override
    public Optional<Subscription> find(String id) {
        return registry.find(id);
    }

    @Override
    public List<Subscription> ofGateway(String gatewayId) {
        return registry.ofGateway(gatewayId);
    }

    @Override
    public Set<String> gatewayIds() {
        return registry.gatewayIds();
    }

    @Override
    public void started(Collection<Subscription> subscriptions) {
        registry.started(subscriptions);
    }
}
