package dev.sluice.lane;

import dev.sluice.deliver.Introductions;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which subscriptions of others a gateway has been told, and acknowledged. Their definitions travel in the batches of their
 * events, ahead of them, until one such batch was acknowledged; and with every batch that comes again, because the gateway
 * may have sent it back for want of them. So nothing needs to know when a gateway started anew: forgetting is always safe,
 * and costs a definition told twice. Any thread may call.
 */
final class KnownDefinitions {
    private static final int MOST = 100_000;

    private final Map<String, Subscription> acknowledged = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Subscription> eldest) {
            return size() > MOST;
        }
    };

    /** What is to go out with these; to be asked before the attempt is counted. */
    Introductions before(List<PendingDelivery> part) {
        List<PendingDelivery> ofOthers =
                part.stream().filter(each -> each.foreign != null).toList();
        return ofOthers.isEmpty() ? Introductions.NONE : introducing(ofOthers);
    }

    private synchronized Introductions introducing(List<PendingDelivery> ofOthers) {
        Map<String, Subscription> telling = new LinkedHashMap<>();
        Set<String> known = new HashSet<>();
        for (PendingDelivery each : ofOthers) {
            Subscription definition = withoutFrom(Objects.requireNonNull(each.foreign));
            if (each.attempts == 0 && isSame(definition, acknowledged.get(definition.id()))) {
                known.add(definition.id());
            } else {
                telling.put(definition.id(), definition);
            }
        }
        known.removeAll(telling.keySet());
        return new Introductions(new ArrayList<>(telling.values()), new ArrayList<>(known));
    }

    /** Where it began is behind it: its first event is where the gateway begins. */
    private static Subscription withoutFrom(Subscription subscription) {
        return subscription.from().isEmpty() ? subscription : subscription.startingAt(Optional.empty());
    }

    private static boolean isSame(Subscription one, @Nullable Subscription other) {
        return one == other || one.equals(other);
    }

    /** Whoever took an event of a subscription has taken the subscription; of whose it took none, it may not know. */
    synchronized void took(Introductions told, List<PendingDelivery> taken) {
        if (!told.isEmpty()) {
            Set<String> ids = new HashSet<>();
            taken.forEach(each -> ids.add(each.subscriptionId()));
            told.subscriptions().stream()
                    .filter(each -> ids.contains(each.id()))
                    .forEach(each -> acknowledged.put(each.id(), each));
            told.toldBefore().stream().filter(id -> !ids.contains(id)).forEach(acknowledged::remove);
        }
    }

    /** The batch comes again, and what follows it may be wanted for the same reason. */
    synchronized void failed(Introductions told) {
        told.toldBefore().forEach(acknowledged::remove);
    }

    /** The gateway may have started anew. */
    synchronized void forget() {
        acknowledged.clear();
    }
}
