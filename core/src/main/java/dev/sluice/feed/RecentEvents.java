package dev.sluice.feed;

import dev.sluice.model.Position;
import dev.sluice.model.RawBson;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last events of a stream's tail, in memory: groups that are a little behind need not read the log. */
public final class RecentEvents {
    private static final int MOST_EVENTS = 1_000;
    private static final long MOST_BYTES = 1 << 20;

    private final ArrayDeque<FeedEvent> events = new ArrayDeque<>();
    private Position before;
    private long bytes;

    /** @param before where the tail is */
    public RecentEvents(Position before) {
        this.before = before;
    }

    public void add(FeedEvent event) {
        events.addLast(event);
        bytes += size(event);
        while (events.size() > MOST_EVENTS || bytes > MOST_BYTES && events.size() > 1) {
            FeedEvent oldest = events.removeFirst();
            bytes -= size(oldest);
            before = oldest.position();
        }
    }

    private static long size(FeedEvent event) {
        return length(event.event().document()) + length(event.event().updateDescription()) + length(event.before());
    }

    private static long length(@Nullable RawBson document) {
        return document == null ? 0 : document.length();
    }

    /** Whether every event behind this place, up to the tail, is here. */
    public boolean covers(Position place) {
        return place.compareTo(before) >= 0;
    }

    /** The events behind a place that is covered. */
    public List<FeedEvent> after(Position place) {
        List<FeedEvent> found = new ArrayList<>();
        Iterator<FeedEvent> newestFirst = events.descendingIterator();
        while (newestFirst.hasNext()) {
            FeedEvent each = newestFirst.next();
            if (each.position().compareTo(place) <= 0) {
                break;
            }
            found.add(each);
        }
        return found.reversed();
    }

    /** How many events lie behind a place that is covered. */
    public int countAfter(Position place) {
        int count = 0;
        Iterator<FeedEvent> newestFirst = events.descendingIterator();
        while (newestFirst.hasNext() && place.isBefore(newestFirst.next().position())) {
            count++;
        }
        return count;
    }

    public int size() {
        return events.size();
    }

    /** The tail is here now, and nothing before it is in memory. */
    public void restart(Position at) {
        events.clear();
        bytes = 0;
        before = at;
    }
}
