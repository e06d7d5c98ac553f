package dev.sluice.deliver;

import dev.sluice.model.Subscription;
import java.util.List;

/**
 * What a gateway must know before the events of a batch that belong to subscriptions it did not register: the hash ring
 * placed them there, or a failover did. A definition comes along until a batch with it was acknowledged; from then on only
 * the id does, so that a gateway that does not know it (it has started again) can ask for the batch later, which brings the
 * definition along again.
 *
 * @param subscriptions the definitions, without {@code from}
 * @param toldBefore ids of others in this batch that were told and acknowledged earlier
 */
public record Introductions(List<Subscription> subscriptions, List<String> toldBefore) {
    /** All events of the batch are for subscriptions the gateway registered itself, or are broadcast. */
    public static final Introductions NONE = new Introductions(List.of(), List.of());

    public Introductions {
        subscriptions = List.copyOf(subscriptions);
        toldBefore = List.copyOf(toldBefore);
    }

    public boolean isEmpty() {
        return subscriptions.isEmpty() && toldBefore.isEmpty();
    }

    /** What concerns this one alone, for those who send events one by one. */
    public Introductions of(String subscriptionId) {
        return isEmpty()
                ? this
                : new Introductions(
                        subscriptions.stream()
                                .filter(each -> each.id().equals(subscriptionId))
                                .toList(),
                        toldBefore.stream().filter(subscriptionId::equals).toList());
    }
}
