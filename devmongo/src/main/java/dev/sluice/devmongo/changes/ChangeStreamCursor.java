package dev.sluice.devmongo.changes;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.oplog.Change;
import dev.sluice.devmongo.oplog.Oplog;
import dev.sluice.devmongo.oplog.OplogEntry;
import dev.sluice.devmongo.token.MongoText;
import dev.sluice.devmongo.token.ResumeToken;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/**
 * One open stream: a position in the oplog and the token that stands for it. Read by one caller at a time; after an
 * exception, or a batch that says closed, it must not be read again.
 */
public final class ChangeStreamCursor {
    private static final List<String> NON_RESUMABLE = List.of("NonResumableChangeStreamError");

    /** An event on its way out. */
    private record Ready(byte[] event, ResumeToken token) {}

    /** A change that concerns this stream, or the invalidate after it. */
    private record Candidate(Change change, ResumeToken token, boolean invalidate, int fragmentsSeen) {}

    private final Oplog oplog;
    private final StreamScope scope;
    private final EventImages images;
    private final EventPipeline pipeline;
    private final DeliveryFaults faults;
    private final Deque<Candidate> candidates = new ArrayDeque<>();
    private final Deque<Ready> ready = new ArrayDeque<>();
    private BsonTimestamp position;
    private boolean inclusive;
    private ResumeToken token;
    private @Nullable ResumeToken sought;
    private boolean closed;
    private boolean closeSeen;

    private ChangeStreamCursor(Opening opening, StreamOptions options) {
        this.oplog = opening.oplog();
        this.scope = opening.scope();
        this.images = new EventImages(options, opening.lookup());
        this.pipeline = EventPipeline.compile(opening.stages(), opening.splitKnown());
        this.faults = opening.faults();
        this.sought = options.after();
        BsonTimestamp start = start(options);
        this.position = start == null ? oplog.newest() : start;
        this.inclusive = start != null;
        this.token = options.after() != null
                ? options.after()
                : ResumeToken.highWaterMark(start == null ? new BsonTimestamp(position.getValue() + 1) : start);
    }

    /** What a stream needs from its surroundings. */
    public record Opening(
            Oplog oplog,
            StreamScope scope,
            List<BsonDocument> stages,
            boolean splitKnown,
            DocumentLookup lookup,
            DeliveryFaults faults) {}

    /** Opens a stream; without a resume option it starts after the newest write. */
    public static ChangeStreamCursor open(Opening opening, StreamOptions options) {
        ChangeStreamCursor cursor = new ChangeStreamCursor(opening, options);
        if (cursor.inclusive && opening.oplog().lost(cursor.position)) {
            throw new CommandException(
                    286,
                    "ChangeStreamHistoryLost",
                    "Resume of change stream was not possible, as the resume point may no longer be in the oplog.",
                    NON_RESUMABLE);
        }
        return cursor;
    }

    private static @Nullable BsonTimestamp start(StreamOptions options) {
        return options.after() == null ? options.from() : options.after().clusterTime();
    }

    /** Reads what is there without waiting. */
    public StreamBatch read(int maxEvents) {
        List<byte[]> events = new ArrayList<>();
        boolean full = fill(events, maxEvents);
        return finish(events, full);
    }

    /** Reads, and if nothing is there waits for an event until the deadline. */
    public StreamBatch await(int maxEvents, long deadlineNanos, Interruptible operation) throws InterruptedException {
        List<byte[]> events = new ArrayList<>();
        boolean full = fill(events, maxEvents);
        while (!full && events.isEmpty() && System.nanoTime() < deadlineNanos) {
            oplog.awaitAfter(position, deadlineNanos, operation::interrupted);
            operation.check();
            full = fill(events, maxEvents);
        }
        return finish(events, full);
    }

    private StreamBatch finish(List<byte[]> events, boolean full) {
        if (!full && position.compareTo(token.clusterTime()) > 0) {
            token = ResumeToken.highWaterMark(position);
        }
        return new StreamBatch(events, closed && !closeSeen ? null : token, closed);
    }

    /** Adds events until the batch is full or closed (true), or there are no more (false). */
    private boolean fill(List<byte[]> events, int maxEvents) {
        requireHistory();
        Iterator<OplogEntry> entries = oplog.from(position, inclusive).iterator();
        int bytes = 0;
        while (!closed && events.size() < maxEvents) {
            Ready next = ready.isEmpty() ? prepareNext(entries) : ready.peek();
            if (next == null) {
                return closed;
            }
            if (!events.isEmpty() && bytes + next.event().length > EventSize.BATCH_BYTES) {
                return true;
            }
            ready.poll();
            bytes += next.event().length;
            events.add(next.event());
            token = next.token();
            faults.repeat(next.event(), events);
            closed = closeSeen && ready.isEmpty();
        }
        return true;
    }

    private @Nullable Ready prepareNext(Iterator<OplogEntry> entries) {
        while (ready.isEmpty() && !closed) {
            Candidate candidate = candidates.poll();
            if (candidate != null) {
                prepare(candidate);
            } else if (entries.hasNext()) {
                advance(entries.next());
            } else {
                return null;
            }
        }
        return ready.peek();
    }

    private void advance(OplogEntry entry) {
        requireHistory();
        faults.scanned();
        position = entry.time();
        inclusive = false;
        if (entry.changes().isEmpty()) {
            return;
        }
        for (Change change : entry.changes()) {
            if (scope.includes(change.mutation())) {
                offer(new Candidate(change, change.token(), false, 0));
                if (scope.endedBy(change.mutation())) {
                    offer(new Candidate(change, invalidate(change), true, 0));
                }
            }
        }
    }

    private static ResumeToken invalidate(Change change) {
        return ResumeToken.invalidate(
                change.token().clusterTime(),
                change.operationIndex(),
                change.mutation().uuid());
    }

    /** While the token to resume after has not been met, passes over what lies before it. */
    private void offer(Candidate candidate) {
        ResumeToken wanted = sought;
        if (wanted == null) {
            candidates.add(candidate);
            return;
        }
        if (pipeline.splits() && wanted.isFragmentOf(candidate.token())) {
            sought = null;
            candidates.add(
                    new Candidate(candidate.change(), candidate.token(), false, wanted.fragmentsOf(candidate.token())));
            return;
        }
        int order = candidate.token().compareTo(wanted);
        if (order > 0 && !wanted.highWaterMark()) {
            throw notFound(candidate.token());
        }
        if (order >= 0) {
            sought = null;
        }
        if (order > 0) {
            candidates.add(candidate);
        }
    }

    private void prepare(Candidate candidate) {
        byte[] whole =
                candidate.invalidate() ? oplog.invalidate(candidate.token()) : images.complete(candidate.change());
        byte[] event = pipeline.run(whole, candidate.token());
        closed = candidate.invalidate() && event == null;
        if (event == null) {
            return;
        }
        closeSeen = candidate.invalidate();
        if (pipeline.splits() && event.length > EventSize.EVENT_BYTES) {
            LargeEventSplitter.split(event, candidate.token()).stream()
                    .skip(candidate.fragmentsSeen())
                    .forEach(fragment -> ready.add(new Ready(fragment.event(), fragment.token())));
            return;
        }
        if (candidate.fragmentsSeen() > 0) {
            throw notFound(candidate.token());
        }
        EventSize.require(event);
        ready.add(new Ready(event, candidate.token()));
    }

    private static CommandException notFound(ResumeToken met) {
        return new CommandException(
                280,
                "ChangeStreamFatalError",
                "cannot resume stream; the resume token was not found. " + MongoText.compact(met.document()),
                NON_RESUMABLE);
    }

    private void requireHistory() {
        if (oplog.lost(position)) {
            throw new CommandException(
                    136,
                    "CappedPositionLost",
                    "Error in $cursor stage :: caused by :: CollectionScan died due to failure to restore tailable"
                            + " cursor position. Last seen record id: RecordId(" + position.getValue() + ")");
        }
    }
}
