package dev.sluice.server.streamer;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogChangedException;
import dev.sluice.feed.LogHead;
import dev.sluice.model.EventId;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.model.ProgressMarker;
import dev.sluice.subscribe.LogHeads;
import dev.sluice.subscribe.NotReadyException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The heads of the logs as the feed knows them, where new subscriptions start. */
final class FeedHeads implements LogHeads {
    private final EventFeed feed;
    private volatile Known known = new Known(Map.of(), Places.OLDEST);

    private record Known(Map<String, LogHead> logs, Places places) {}

    FeedHeads(EventFeed feed) {
        this.feed = feed;
    }

    @Override
    public Places heads() {
        var logs = logs();
        var last = known;
        if (logs.equals(last.logs)) {
            return last.places;
        }
        var places = new TreeMap<String, Places.Place>();
        logs.forEach((log, head) -> places.put(log, new Places.Place(head.identity(), head.head())));
        var fresh = new Places(places);
        known = new Known(logs, fresh);
        return fresh;
    }

    private Map<String, LogHead> logs() {
        try {
            var logs = feed.heads();
            if (logs.isEmpty()) {
                throw new NotReadyException(
                        "no event log can be read: see that the Puller runs and its logs are open, then try again");
            }
            return logs;
        } catch (FeedUnavailableException unavailable) {
            throw notReady(unavailable);
        }
    }

    /** A log that the feed does not have is left unresolved: it may come back, and is resolved by its id then. */
    @Override
    public Places resolve(ProgressMarker from) {
        var logs = logs();
        var places = new TreeMap<String, Places.Place>();
        from.positions().forEach((log, id) -> places.put(log, place(log, id, logs.get(log))));
        return new Places(places);
    }

    private Places.Place place(String log, EventId id, @Nullable LogHead head) {
        if (head == null) {
            return new Places.Place(0, new Position(id, 0));
        }
        try {
            return new Places.Place(
                    head.identity(),
                    feed.resolve(log, head.identity(), List.of(id)).getFirst());
        } catch (FeedUnavailableException | LogChangedException unavailable) {
            throw notReady(unavailable);
        }
    }

    private static NotReadyException notReady(RuntimeException why) {
        return new NotReadyException("the event logs cannot be asked now: " + why.getMessage(), why);
    }
}
