package dev.sluice.feed;

import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where the events of an earlier log are in the log that has taken its place. An unknown event is before its cluster time. */
public record ResolvedIds(Map<EventId, Position> found) {
    /** Asks the feed for all of them at once. */
    public static ResolvedIds ask(EventFeed feed, String log, long identity, Collection<Position> places) {
        List<EventId> ids = places.stream().map(Position::id).distinct().toList();
        List<Position> positions = feed.resolve(log, identity, ids);
        Map<EventId, Position> found = new HashMap<>();
        for (int k = 0; k < ids.size(); k++) {
            found.put(ids.get(k), positions.get(k));
        }
        return new ResolvedIds(found);
    }

    public Position of(Position place) {
        Position there = found.get(place.id());
        return there == null ? Position.before(place.time()) : there;
    }
}
