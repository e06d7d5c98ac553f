package dev.sluice.mongodb;

import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.SourceBatch.Ending;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.Operation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Puts what several streams of one deployment read back into the one order a single stream would have had. An event
 * leaves when every other stream has shown that it is past it: by a later event, by a later position, or by having
 * nothing when it was asked after that event had arrived. Control events come through every stream and leave once.
 *
 * <p>Has no thread: a {@link MergedCursor} feeds it. Used by one thread.
 */
final class StreamMerge {
    private record Waiting(Place place, EventRecord event, long arrival) {}

    private static final class Part {
        final Deque<Waiting> waiting = new ArrayDeque<>();

        @Nullable
        Place position;

        ClusterTime emptyThrough = ClusterTime.ZERO;
        long emptyWhenAsked;
        long sourceTime;
        Duration unread = Duration.ZERO;

        /** Nothing will come from here that belongs before this event. */
        boolean isPast(Waiting event) {
            boolean later = position != null && position.compareTo(event.place) >= 0;
            boolean empty = event.place.time().compareTo(emptyThrough) <= 0 && event.arrival <= emptyWhenAsked;
            return !waiting.isEmpty() || later || empty;
        }
    }

    private final List<Part> parts;
    private @Nullable Place reached;
    private @Nullable Ending silence;
    private volatile long taken;

    /** @param start what all streams were opened behind; null when they were opened at a time, or now */
    StreamMerge(int streams, @Nullable Checkpoint start) {
        this.parts = Stream.generate(Part::new).limit(streams).toList();
        this.reached = start == null ? null : Place.of(start);
    }

    /** How many batches were taken so far; any thread may ask. */
    long taken() {
        return taken;
    }

    /** Whether a stream's events have all left, so that its next batch is wanted. */
    boolean wants(int stream) {
        return parts.get(stream).waiting.isEmpty();
    }

    void take(int stream, StreamBatch read) {
        Part part = parts.get(stream);
        SourceBatch batch = read.batch();
        long arrival = taken + 1;
        for (int k = 0; k < batch.events().size(); k++) {
            EventRecord event = batch.events().get(k);
            part.waiting.add(new Waiting(Place.of(read.tokens().get(k), event.clusterTime()), event, arrival));
        }
        if (batch.reached() != null) {
            part.position = Place.of(batch.reached());
        }
        if (batch.events().isEmpty()) {
            part.emptyThrough = read.emptyThrough();
            part.emptyWhenAsked = read.askedAfter();
        }
        part.sourceTime = batch.sourceTime();
        part.unread = batch.unread();
        if (batch.ending() instanceof Ending.SilentlyClosed) {
            silence = batch.ending();
        }
        taken = arrival;
    }

    /** Everything that may leave now, and the position behind it. */
    SourceBatch leave() {
        List<EventRecord> leaving = new ArrayList<>();
        Ending ending = silence == null ? SourceBatch.OPEN : silence;
        Waiting next = first();
        while (next != null && isFirstOfAll(next)) {
            boolean invalidated = leave(next.place, leaving);
            reached = reached == null ? next.place : Place.later(reached, next.place);
            if (invalidated) {
                return batch(leaving, SourceBatch.INVALIDATED);
            }
            next = first();
        }
        if (next == null) {
            moveOnWithIdleStreams();
        }
        return batch(leaving, ending);
    }

    private @Nullable Waiting first() {
        Waiting first = null;
        for (Part part : parts) {
            Waiting head = part.waiting.peek();
            if (head != null && (first == null || head.place.compareTo(first.place) < 0)) {
                first = head;
            }
        }
        return first;
    }

    private boolean isFirstOfAll(Waiting event) {
        for (Part part : parts) {
            if (!part.isPast(event)) {
                return false;
            }
        }
        return true;
    }

    /** All events of one token, from whichever streams, each once. True when the invalidate was among them. */
    private boolean leave(Place place, List<EventRecord> into) {
        int from = into.size();
        boolean invalidated = false;
        for (Part part : parts) {
            Waiting head = part.waiting.peek();
            while (head != null && head.place.compareTo(place) == 0) {
                EventRecord event = part.waiting.remove().event;
                boolean known = into.subList(from, into.size()).stream()
                        .anyMatch(other -> other.id().equals(event.id()));
                if (!known) {
                    into.add(event);
                }
                invalidated |= event.operation() == Operation.INVALIDATE;
                head = part.waiting.peek();
            }
        }
        return invalidated;
    }

    /** Nothing waits anywhere: behind the least of the positions there is nothing that did not leave. */
    private void moveOnWithIdleStreams() {
        Place least = null;
        for (Part part : parts) {
            Place position = part.position;
            if (position == null) {
                return;
            }
            least = least == null || position.compareTo(least) < 0 ? position : least;
        }
        reached = reached == null ? least : Place.later(reached, Objects.requireNonNull(least));
    }

    private SourceBatch batch(List<EventRecord> events, Ending ending) {
        Checkpoint behind = reached == null ? null : reached.checkpoint();
        long idle = parts.stream().mapToLong(part -> part.sourceTime).min().orElse(0);
        long sourceTime =
                events.isEmpty() ? idle : events.getLast().clusterTime().toEpochMillis();
        return new SourceBatch(events, behind, sourceTime, ending, unread(idle));
    }

    /** A stream that works on a long reply is as far behind as its last one is older than those of the others. */
    private Duration unread(long oldestReply) {
        long newest = parts.stream().mapToLong(part -> part.sourceTime).max().orElse(0);
        Duration behindOthers = Duration.ofMillis(newest - oldestReply);
        return parts.stream().map(part -> part.unread).reduce(behindOthers, (a, b) -> a.compareTo(b) >= 0 ? a : b);
    }
}
