package dev.sluice.lane;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;

/**
 * Which subscriptions share a main group: those of one home and priority; of broadcasts, for each gateway that hears them.
 *
 * @param gateway of a broadcast, empty while no gateway is known; empty for all other homes
 */
public record GroupKey(Home home, String gateway, Priority priority) {
    public static GroupKey of(SubscriptionRecord subscription, String gateway) {
        return subscription.home() instanceof Home.Broadcast
                ? broadcast(gateway)
                : new GroupKey(
                        subscription.home(), "", subscription.definition().priority());
    }

    public static GroupKey broadcast(String gateway) {
        return new GroupKey(Home.BROADCAST, gateway, Priority.LOW);
    }

    public boolean isBroadcast() {
        return home instanceof Home.Broadcast;
    }

    /** As saved positions name it; {@link #parse} reads it. */
    public String text() {
        return priority.text() + ":" + home.text() + gateway;
    }

    public static GroupKey parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new InvalidInputException("group " + InvalidInputException.quote(text) + " names no priority");
        }
        Priority priority = Priority.parse(text.substring(0, colon));
        String home = text.substring(colon + 1);
        return home.startsWith(Home.BROADCAST.text())
                ? new GroupKey(
                        Home.BROADCAST, home.substring(Home.BROADCAST.text().length()), priority)
                : new GroupKey(Home.parse(home), "", priority);
    }

    @Override
    public String toString() {
        return text();
    }
}
