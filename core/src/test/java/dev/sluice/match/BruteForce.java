package dev.sluice.match;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What an event must match, found by asking every subscription: the rules once more, without any index. */
final class BruteForce {
    private static final Map<String, Filter> PARSED = new ConcurrentHashMap<>();

    private BruteForce() {}

    /** Kind by subscription id; {@code UNKNOWN} by gateway, tenant and priority, whoever stands for them. */
    static TreeMap<String, MatchKind> matches(
            Collection<Subscription> subscriptions, ChangeEvent event, @Nullable RawBson before) {
        TreeMap<String, MatchKind> matches = new TreeMap<>();
        for (Subscription subscription : subscriptions) {
            MatchKind kind = kind(subscription, event, before);
            if (kind != null) {
                matches.put(name(subscription, kind), kind);
            }
        }
        return matches;
    }

    static String name(Subscription subscription, MatchKind kind) {
        return kind == MatchKind.UNKNOWN
                ? subscription.gatewayId() + "/" + subscription.tenant() + "/" + subscription.priority()
                : subscription.id();
    }

    private static @Nullable MatchKind kind(Subscription subscription, ChangeEvent event, @Nullable RawBson before) {
        if (event.operation().isControl()) {
            return isConcerned(subscription, event) ? MatchKind.CONTROL : null;
        }
        boolean inScope = subscription.collection().equals(event.collection())
                && (subscription.tenant().isEmpty() || subscription.tenant().equals(event.tenant()));
        boolean onDocument = subscription.documentId().isPresent();
        if (!inScope
                || onDocument
                        && !subscription
                                .documentId()
                                .get()
                                .equals(event.documentId().text())) {
            return null;
        }
        Filter filter = PARSED.computeIfAbsent(subscription.filter(), Filter::parse);
        RawBson image = event.operation() == Operation.DELETE ? before : event.document();
        if (image == null) {
            if (onDocument || subscription.filter().equals("{}")) {
                return MatchKind.EXACT;
            }
            return subscription.gatewayId().isEmpty() ? MatchKind.POSSIBLE : MatchKind.UNKNOWN;
        }
        boolean matches = filter.matches(image);
        boolean changed = event.operation() == Operation.UPDATE || event.operation() == Operation.REPLACE;
        if (!subscription.transitions() || !changed || before == null) {
            return matches ? MatchKind.EXACT : null;
        }
        boolean matched = filter.matches(before);
        return matches ? (matched ? MatchKind.EXACT : MatchKind.ENTER) : matched ? MatchKind.LEAVE : null;
    }

    private static boolean isConcerned(Subscription subscription, ChangeEvent event) {
        return event.operation() != Operation.HEARTBEAT
                && (event.collection().isEmpty() || event.collection().equals(subscription.collection()))
                && (event.tenant().isEmpty()
                        || subscription.tenant().isEmpty()
                        || event.tenant().equals(subscription.tenant()));
    }
}
