package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One append in the making: gives each record its position, drops repeats, fills segments. */
final class AppendPlan {
    private final SegmentLimits limits;
    private final Function<ClusterTime, IdsOfOneTime> stored;
    private final LogPoint begin;
    private final LogPosition before;
    private final IdsOfOneTime idsAtHead;
    private final List<LogEntry> entries = new ArrayList<>();
    private final List<Segment> segments = new ArrayList<>();
    private LogPosition head;
    private int repeats;

    private @Nullable ClusterTime replayed;
    private IdsOfOneTime idsOfReplayed = new IdsOfOneTime();

    private boolean open;
    private ClusterTime first = ClusterTime.ZERO;
    private long events;
    private long bytes;

    AppendPlan(
            SegmentLimits limits,
            Function<ClusterTime, IdsOfOneTime> stored,
            LogPoint begin,
            LogPosition head,
            IdsOfOneTime idsAtHead,
            @Nullable Segment last) {
        this.limits = limits;
        this.stored = stored;
        this.begin = begin;
        this.before = head;
        this.head = head;
        this.idsAtHead = idsAtHead;
        if (last != null) {
            open = true;
            first = last.first();
            events = last.events();
            bytes = last.bytes();
        }
    }

    void add(EventRecord record) {
        int age = record.clusterTime().compareTo(head.time());
        if (age < 0) {
            requireKnown(record);
            repeats++;
        } else if (age > 0) {
            startTime(record.clusterTime());
            take(record);
        } else if (idsAtHead.contains(record.hash()) || record.id().equals(begin.id())) {
            repeats++;
        } else {
            take(record);
        }
    }

    private void startTime(ClusterTime time) {
        idsAtHead.clear();
        if (open && (bytes >= limits.bytes() || time.t() - first.t() >= limits.seconds())) {
            closeSegment();
        }
        head = LogPosition.before(time);
    }

    private void take(EventRecord record) {
        if (!open) {
            open = true;
            first = record.clusterTime();
        }
        head = head.next();
        LogEntry entry = new LogEntry(head, record);
        entries.add(entry);
        idsAtHead.add(record.hash());
        events++;
        bytes += entry.bytes();
    }

    private void closeSegment() {
        segments.add(new Segment(first, head.time(), events, bytes));
        open = false;
        events = 0;
        bytes = 0;
    }

    private void requireKnown(EventRecord record) {
        ClusterTime time = record.clusterTime();
        if (time.compareTo(begin.position().time()) < 0 || isInThisBatch(record)) {
            return;
        }
        if (!time.equals(replayed)) {
            idsOfReplayed = stored.apply(time);
            replayed = time;
        }
        if (!idsOfReplayed.contains(record.hash()) && !record.id().equals(begin.id())) {
            throw new OutOfOrderException(
                    "Event " + record.id() + " is older than the head " + head + " and not in the log: the source sent"
                            + " it out of order, or two sources write to one log. Nothing of this batch was stored.",
                    null);
        }
    }

    private boolean isInThisBatch(EventRecord record) {
        for (int k = entries.size() - 1; k >= 0; k--) {
            EventRecord other = entries.get(k).event();
            int order = other.clusterTime().compareTo(record.clusterTime());
            if (order < 0) {
                return false;
            }
            if (order == 0 && other.hash() == record.hash()) {
                return true;
            }
        }
        return false;
    }

    AppendDecision decision(boolean starts, @Nullable Checkpoint checkpoint) {
        if (open && !entries.isEmpty()) {
            closeSegment();
        }
        Appended appended = new Appended(before, entries, repeats);
        return new AppendDecision(appended, begin, starts, segments, checkpoint, idsAtHead);
    }
}
