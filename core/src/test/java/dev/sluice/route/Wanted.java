package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Operation;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a subscription is owed: of each backend everything from an index on that it matches, and that every definition it had
 * since then matched, too (rule 3).
 */
final class Wanted {
    /** Of the number in the filter {@code {"g":0}}. */
    private static final int GROUP_AT = 5;

    final Map<String, Integer> from = new HashMap<>();
    private final List<Earlier> earlier = new ArrayList<>();
    private final SimulatedFeed feed;
    boolean restarted;
    boolean changedClass;

    /** @param until by backend, how many events the filter is asked for */
    private record Earlier(String filter, Map<String, Integer> until) {}

    Wanted(SimulatedFeed feed) {
        this.feed = feed;
    }

    /** It begins, perhaps again, at a marker. */
    void beginsAt(ProgressMarker marker) {
        earlier.clear();
        feed.end()
                .positions()
                .forEach((backend, end) -> from.put(
                        backend, feed.index(backend, marker.position(backend).orElse(null))));
    }

    /** What is committed from now on is not asked of this filter. */
    void filterEnds(String filter) {
        Map<String, Integer> until = new HashMap<>();
        feed.end().positions().forEach((backend, end) -> until.put(backend, feed.index(backend, end)));
        earlier.add(new Earlier(filter, until));
    }

    List<ChangeEvent> events(Subscription subscription) {
        List<ChangeEvent> events = new ArrayList<>();
        for (ChangeEvent event : feed.all) {
            if (begins(event)
                    && matches(subscription.filter(), subscription, event)
                    && matchedEarlier(subscription, event)) {
                events.add(event);
            }
        }
        return events;
    }

    /** Whether the event lies behind the subscription's start. */
    boolean begins(ChangeEvent event) {
        return feed.place(event) >= from.getOrDefault(event.backend(), 0);
    }

    private boolean matchedEarlier(Subscription subscription, ChangeEvent event) {
        return earlier.stream()
                .filter(each -> feed.place(event) < each.until.getOrDefault(event.backend(), 0))
                .allMatch(each -> matches(each.filter, subscription, event));
    }

    private boolean matches(String filter, Subscription subscription, ChangeEvent event) {
        if (event.operation() == Operation.RESYNC) {
            return true;
        }
        return event.operation().isData()
                && event.collection().equals(subscription.collection())
                && (event.document() == null
                        || filter.equals("{}")
                        || filter.charAt(GROUP_AT) - '0' == feed.group(event));
    }
}
