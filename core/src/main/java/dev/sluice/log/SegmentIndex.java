package dev.sluice.log;

import dev.sluice.model.ClusterTime;
import java.util.ArrayList;
import java.util.List;

/** The segments of a log, in memory. Any thread may read; one at a time writes. */
final class SegmentIndex {
    private final List<Segment> segments = new ArrayList<>();
    private long events;
    private long bytes;

    SegmentIndex(List<Segment> stored) {
        stored.forEach(this::put);
    }

    synchronized List<Segment> list() {
        return List.copyOf(segments);
    }

    synchronized Segment last() {
        return segments.getLast();
    }

    synchronized boolean isEmpty() {
        return segments.isEmpty();
    }

    synchronized long events() {
        return events;
    }

    synchronized long bytes() {
        return bytes;
    }

    /** Adds at the end, or replaces the last when that begins at the same time. */
    synchronized void put(Segment segment) {
        if (!segments.isEmpty() && segments.getLast().first().equals(segment.first())) {
            count(segments.removeLast(), -1);
        }
        segments.add(segment);
        count(segment, 1);
    }

    /** The oldest ones that end by this time, without the last. */
    synchronized List<Segment> endedBy(ClusterTime through) {
        int count = 0;
        while (count < segments.size() - 1 && segments.get(count).last().compareTo(through) <= 0) {
            count++;
        }
        return List.copyOf(segments.subList(0, count));
    }

    synchronized void removeOldest(int count) {
        List<Segment> oldest = segments.subList(0, count);
        oldest.forEach(segment -> count(segment, -1));
        oldest.clear();
    }

    private void count(Segment segment, int sign) {
        events += sign * segment.events();
        bytes += sign * segment.bytes();
    }
}
