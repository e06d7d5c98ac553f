package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.log.EventLogException;
import dev.sluice.log.LogReader;
import dev.sluice.stream.ConsumerStatus;
import dev.sluice.stream.EventStream;
import dev.sluice.stream.SendPace;
import dev.sluice.stream.Step;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamRequest;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer's call: a stream, the connection it goes out on, and the turns in which one is moved to the other. A turn
 * happens when the consumer is ready for more, when a log grew, or when time has passed; it sends while the consumer is
 * ready and gives way to others. Between turns a consumer costs its positions.
 */
final class ConsumerCall {
    private static final Logger LOG = LoggerFactory.getLogger(ConsumerCall.class);

    /** Batches in one turn, before other consumers have theirs. */
    private static final int TURN = 4;

    private static final Status FAULT =
            Status.INTERNAL.withDescription("The server failed; its log says why. Connect again.");

    /** How often a consumer is told of progress over events it did not want. */
    private static final long PROGRESS_NANOS = Duration.ofSeconds(1).toNanos();

    private final long id;
    private final ServerCall<SubscribeRequest, EncodedMessage> call;
    private final StreamRequest request;
    private final boolean batched;
    private final Streams streams;
    private final SortedMap<String, LogReader> backends;
    private final SendPace pace;
    private final Turns turns;
    private final Instant since = Instant.now();
    private final String peer;

    private volatile List<Runnable> listening = List.of();
    private @Nullable EventStream stream;

    /** Behind everything that was sent, or not wanted; null before the stream began. Goes out with the call's end. */
    private @Nullable String reached;

    private long reachedVersion;

    /** Why this call must end, whatever else happens; from then on its stream is not used. */
    private @Nullable Status broken;

    private boolean ended;
    private volatile boolean cancelled;
    private volatile boolean stopping;
    private volatile ConsumerStatus status;
    private long events;
    private long nextHeartbeat;
    private long nextProgress;
    private long nextStatus;
    private long sentVersion;
    private volatile long due;
    private volatile boolean gettingSlow;

    /** @param backends the logs that this consumer reads */
    ConsumerCall(
            long id,
            ServerCall<SubscribeRequest, EncodedMessage> call,
            StreamRequest request,
            boolean batched,
            Streams streams,
            SortedMap<String, LogReader> backends) {
        this.id = id;
        this.call = call;
        this.request = request;
        this.batched = batched;
        this.streams = streams;
        this.backends = backends;
        this.pace = new SendPace(streams.slowThreshold(), streams.criticalThreshold());
        this.peer = String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
        this.turns = new Turns(streams.threads(), this::turn);
        this.status =
                new ConsumerStatus(id, request.label(), peer, since, ConsumerStatus.State.CATCHING_UP, 0, List.of());
    }

    ConsumerStatus status() {
        return status;
    }

    void start() {
        listening =
                backends.values().stream().map(log -> log.onCommit(turns::wake)).toList();
        turns.wake();
    }

    /** The consumer is ready for more. */
    void wake() {
        turns.wake();
    }

    /** Time has passed: a turn if something is due by it. A consumer that just listens has one in a second, no more. */
    void tick(long nanos) {
        if (gettingSlow || nanos - due >= 0) {
            turns.wake();
        }
    }

    /** The consumer is gone. */
    void cancel() {
        cancelled = true;
        turns.wake();
    }

    /** The server stops: end the call with a status that makes the consumer try again. */
    void stop() {
        stopping = true;
        turns.wake();
    }

    private void turn() {
        if (ended) {
            return;
        }
        try {
            if (cancelled) {
                leave();
            } else if (broken != null) {
                fail(broken);
            } else if (stopping) {
                end(Status.UNAVAILABLE.withDescription("The server is stopping: connect again, here or elsewhere."));
            } else {
                move(System.nanoTime());
            }
        } catch (Throwable fault) {
            breakOff(fault);
        }
    }

    /**
     * Ends the call: its stream may have passed events that were never sent, so the consumer has to open another from the
     * last marker it got. When even ending it fails, the next turn tries again.
     */
    private void breakOff(Throwable fault) {
        broken = FAULT;
        due = System.nanoTime();
        if (fault instanceof EventLogException) {
            broken = Status.UNAVAILABLE.withDescription("An event log cannot be read: " + fault.getMessage());
        }
        LOG.error("Consumer '{}' (call {}) ends by a fault of this server.", request.label(), id, fault);
        fail(broken);
    }

    private void move(long nanos) {
        EventStream moving = stream == null ? open(nanos) : stream;
        for (int batch = 0; batch < TURN; batch++) {
            report(moving, nanos);
            if (!call.isReady()) {
                waitForConsumer(moving, nanos);
                due = nextStatus;
                return;
            }
            gettingSlow = false;
            long waited = pace.ready(nanos);
            if (!sendBatch(moving, nanos, waited)) {
                due = request.heartbeats() && nextHeartbeat - nextStatus < 0 ? nextHeartbeat : nextStatus;
                return;
            }
            nanos = System.nanoTime();
        }
        turns.wake();
    }

    private EventStream open(long nanos) {
        EventStream opened = new EventStream(backends, request, streams.limits(), streams.windows(), nanos);
        stream = opened;
        reach(opened);
        call.sendHeaders(
                ProgressHeaders.with(ProgressHeaders.PROGRESS, opened.marker().toString()));
        nextHeartbeat = nanos;
        nextProgress = nanos;
        nextStatus = nanos;
        return opened;
    }

    /** True when there may be more to send at once. */
    private boolean sendBatch(EventStream moving, long nanos, long waited) {
        EventLayout layout = streams.layout();
        layout.begin(request.encoding(), batched, request.start() != null);
        if (request.heartbeats() && nanos - nextHeartbeat >= 0) {
            moving.heartbeats(layout);
            nextHeartbeat = nanos + streams.limits().heartbeat().toNanos();
        }
        int beats = layout.events();
        StreamLimits limits = streams.limits();
        Step step = moving.step(layout, pace.of(limits.batchEvents()), pace.of(limits.batchBytes()), nanos);
        // Who has lost events hears of that and of no progress, except by other backends' events.
        boolean worthSending = step instanceof Step.OutOfRange
                ? layout.events() > beats
                : layout.events() > 0 || progressIsDue(moving, nanos);
        if (worthSending) {
            send(moving, layout, beats, nanos, waited);
        }
        reach(moving);
        return switch (step) {
            case Step.Sent sent -> true;
            case Step.Working working -> true;
            case Step.Waiting waiting -> false;
            case Step.OutOfRange gone -> {
                endOutOfRange(gone);
                yield false;
            }
            case Step.TooFarAhead ahead -> {
                fail(Status.UNAVAILABLE.withDescription(ahead.sentence()));
                yield false;
            }
        };
    }

    /** All that the last step laid out is sent: this is where the consumer can go on. */
    private void reach(EventStream moved) {
        long version = moved.marker().version();
        if (reached == null || version != reachedVersion) {
            reached = moved.marker().toString();
            reachedVersion = version;
        }
    }

    private boolean progressIsDue(EventStream moving, long nanos) {
        return batched && nanos - nextProgress >= 0 && moving.marker().version() != sentVersion;
    }

    /** @param beats heartbeats among what is laid out: sent, but no events that anything counts */
    private void send(EventStream moving, EventLayout layout, int beats, long nanos, long waited) {
        int count = layout.events() - beats;
        long bytes = layout.bytes();
        layout.send(moving.marker(), request.start() == null ? null : moving.progress(), call::sendMessage);
        events += count;
        nextProgress = nanos + PROGRESS_NANOS;
        sentVersion = moving.marker().version();
        if (count > 0) {
            streams.meter().published(count, bytes, waited);
        }
    }

    private void waitForConsumer(EventStream waiting, long nanos) {
        boolean worse = waiting.behind() && pace.wanting(nanos);
        SendPace.Level level = pace.level();
        gettingSlow = waiting.behind() && level != SendPace.Level.CRITICAL;
        if (!worse) {
            return;
        }
        if (level == SendPace.Level.CRITICAL) {
            waiting.pause();
        } else {
            waiting.release();
        }
        streams.meter().backpressure(level);
        LOG.warn(
                "event=backpressure level={} consumer='{}' call={} peer={}: it does not take what is sent{}",
                level,
                request.label(),
                id,
                peer,
                level == SendPace.Level.CRITICAL ? "; paused until it does" : "; its batches get smaller");
    }

    private void report(EventStream moving, long nanos) {
        if (nanos - nextStatus < 0) {
            return;
        }
        nextStatus = nanos + PROGRESS_NANOS;
        status = new ConsumerStatus(id, request.label(), peer, since, state(moving), events, moving.positions(nanos));
    }

    private ConsumerStatus.State state(EventStream moving) {
        return switch (pace.level()) {
            case CRITICAL -> ConsumerStatus.State.PAUSED;
            case SLOW -> ConsumerStatus.State.SLOW;
            case KEEPING_UP -> {
                if (moving.coalescing()) {
                    yield ConsumerStatus.State.COALESCING;
                }
                yield moving.behind() ? ConsumerStatus.State.CATCHING_UP : ConsumerStatus.State.LIVE;
            }
        };
    }

    private void endOutOfRange(Step.OutOfRange gone) {
        LOG.warn(
                "event=out_of_range consumer='{}' call={} backend={}: what it has not read has left the log",
                request.label(),
                id,
                gone.backend());
        streams.meter().publishError();
        Metadata trailers = ProgressHeaders.with(ProgressHeaders.OLDEST_PROGRESS, gone.oldest());
        LogReader log = backends.get(gone.backend());
        if (request.start() != null && log != null) {
            trailers.put(
                    ProgressHeaders.OLDEST_POSITION,
                    log.state().evictedThrough().toPosition().toString());
        }
        close(Status.OUT_OF_RANGE.withDescription(gone.sentence()), trailers);
    }

    private void fail(Status reason) {
        streams.meter().publishError();
        end(reason);
    }

    private void end(Status reason) {
        String passed = reached;
        close(reason, passed == null ? new Metadata() : ProgressHeaders.with(ProgressHeaders.PROGRESS, passed));
    }

    private void close(Status reason, Metadata trailers) {
        try {
            call.close(reason, trailers);
        } catch (IllegalStateException alreadyClosed) {
            LOG.debug("Call {} was over already.", id, alreadyClosed);
        }
        leave();
    }

    private void leave() {
        ended = true;
        EventStream left = stream;
        if (left != null) {
            left.close();
            stream = null;
        }
        listening.forEach(Runnable::run);
        streams.left(id);
    }
}
