package dev.sluice.grpc;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedEvent;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.StreamId;
import dev.sluice.grpc.puller.v1.Encoding;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.grpc.puller.v1.EventBatch;
import dev.sluice.grpc.puller.v1.PullerServiceGrpc;
import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.Position;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One stream of one log from one Puller. At most {@link #MAX_MESSAGES} messages wait here, each a batch of the Puller: about
 * 1,000 events or 256 KiB, or one event that is larger. The connection fills the buffer; {@link #read} only polls it.
 */
final class GrpcLogReader implements EventFeed.Reader {
    private static final int MAX_MESSAGES = 2;

    /** To connect and be told where the stream begins. */
    private static final long BEGIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final GrpcLogFeed feed;
    private final String address;
    private final StreamId stream;
    private final long identity;
    private final long silenceNanos;
    private final Runnable more;

    private final Queue<EventBatch> arrived = new ConcurrentLinkedQueue<>();
    /** Messages that were not handed out whole. */
    private final AtomicInteger held = new AtomicInteger();

    private final AtomicReference<@Nullable PullerFailure> ended = new AtomicReference<>();
    private volatile boolean moved;
    private volatile boolean begun;
    private volatile long quietSince = System.nanoTime();
    private volatile @Nullable ManagedChannel channel;
    private volatile @Nullable ClientCall<SubscribeRequest, EventBatch> call;

    private @Nullable EventBatch current;
    private int next;
    private Position passed;
    private Position head;
    private long sourceTime;
    private boolean closed;

    /** @param head of the log, as far as it is known */
    GrpcLogReader(
            GrpcLogFeed feed,
            String address,
            StreamId stream,
            long identity,
            Position after,
            Position head,
            Duration silence,
            Runnable more) {
        this.feed = feed;
        this.address = address;
        this.stream = stream;
        this.identity = identity;
        this.silenceNanos = TimeUnit.NANOSECONDS.convert(silence);
        this.more = more;
        this.passed = after;
        this.head = head;
    }

    /** Sends the request; connecting and answers come later. What fails is told by the first read. */
    void begin(PullerAccess access, String label) {
        try {
            send(access.channel(address), request(label));
        } catch (RuntimeException failed) {
            end(PullerFailure.of(address, Status.fromThrowable(failed), null));
        }
    }

    private void send(ManagedChannel connection, SubscribeRequest request) {
        channel = connection;
        ClientCall<SubscribeRequest, EventBatch> sent =
                connection.newCall(PullerServiceGrpc.getSubscribeBatchesMethod(), CallOptions.DEFAULT);
        call = sent;
        sent.start(new Arrivals(), new Metadata());
        sent.sendMessage(request);
        sent.halfClose();
        sent.request(MAX_MESSAGES);
    }

    private SubscribeRequest request(String label) {
        return SubscribeRequest.newBuilder()
                .setConsumerId(label)
                .setLog(stream.log())
                .setLogIdentity(identity)
                .setAfterId(passed.id().toString())
                .setAfterOrdinal(passed.ordinal())
                .addPartitions(stream.partition())
                .setNumPartitions(stream.partitions())
                .setHeartbeats(true)
                .setEncoding(Encoding.BSON)
                .build();
    }

    private final class Arrivals extends ClientCall.Listener<EventBatch> {
        @Override
        public void onMessage(EventBatch batch) {
            begun = true;
            quietSince = System.nanoTime();
            held.incrementAndGet();
            arrived.add(batch);
            more.run();
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            end(PullerFailure.of(address, status, trailers));
        }
    }

    String address() {
        return address;
    }

    private void end(PullerFailure reason) {
        ended.compareAndSet(null, reason);
        more.run();
    }

    /** Another Puller is read from now on. */
    void move() {
        moved = true;
        disconnect();
        more.run();
    }

    /** Messages that wait here keep the Puller from sending more: that is no silence. */
    void endIfSilent(long nanos) {
        long patience = begun ? silenceNanos : Math.min(silenceNanos, BEGIN_NANOS);
        if (held.get() == 0 && ended.get() == null && nanos - quietSince > patience) {
            end(PullerFailure.silent(address, TimeUnit.NANOSECONDS.toMillis(patience)));
        }
    }

    @Override
    public EventFeed.Batch read(int maxEvents, long maxBytes) {
        if (closed) {
            throw new FeedUnavailableException("this reader is closed: open another");
        }
        try {
            return poll(maxEvents, maxBytes);
        } catch (InvalidInputException unreadable) {
            throw failed(PullerFailure.unreadable(address, unreadable));
        } catch (PullerFailure failure) {
            throw failed(failure);
        } catch (Throwable broken) {
            close();
            throw broken;
        }
    }

    private RuntimeException failed(PullerFailure failure) {
        close();
        feed.failed(address, failure);
        return failure.toFeedException();
    }

    private EventFeed.Batch poll(int maxEvents, long maxBytes) {
        if (moved) {
            throw new FeedUnavailableException("the Puller at " + address + " is no longer read: open another reader");
        }
        // Looked at first: everything that arrived before the end is handed out before it.
        PullerFailure end = ended.get();
        List<FeedEvent> events = new ArrayList<>();
        long bytes = 0;
        while (events.size() < maxEvents && (bytes < maxBytes || events.isEmpty())) {
            Event event = nextEvent();
            if (event == null) {
                break;
            }
            Operation operation = Operation.parse(event.getOperationType());
            if (operation == Operation.HEARTBEAT) {
                sourceTime = Math.max(sourceTime, event.getTimestamp());
            } else {
                events.add(take(event, operation));
                bytes += EventMessages.bytes(event);
            }
        }
        if (end != null && events.isEmpty()) {
            throw end;
        }
        return new EventFeed.Batch(events, passed, head, sourceTime);
    }

    private FeedEvent take(Event event, Operation operation) {
        ChangeEvent change = EventMessages.change(event, operation);
        passed = new Position(change.id(), event.getOrdinal());
        return new FeedEvent(change, passed, EventMessages.before(event));
    }

    /** Null when no more has arrived. */
    private @Nullable Event nextEvent() {
        while (true) {
            EventBatch batch = current;
            if (batch != null && next < batch.getEventsCount()) {
                return batch.getEvents(next++);
            }
            if (batch != null) {
                finish(batch);
            }
            EventBatch arrival = arrived.poll();
            if (arrival == null) {
                return null;
            }
            check(arrival);
            current = arrival;
            next = 0;
        }
    }

    private void check(EventBatch arrival) {
        if (arrival.getLogIdentity() == 0) {
            throw PullerFailure.ofOldVersion(address);
        }
        if (arrival.getLogIdentity() != identity) {
            throw PullerFailure.ofOtherLog(address, stream.log());
        }
        head = Position.higher(head, PullerLink.position(arrival.getHeadId(), arrival.getHeadOrdinal()));
        feed.heard(address, stream.log(), identity, head);
    }

    /** Moves past what the Puller left out, and makes room for one more message. */
    private void finish(EventBatch batch) {
        passed = Position.higher(passed, PullerLink.position(batch.getPassedId(), batch.getPassedOrdinal()));
        current = null;
        quietSince = System.nanoTime();
        held.decrementAndGet();
        ClientCall<SubscribeRequest, EventBatch> receiving = call;
        if (receiving != null) {
            receiving.request(1);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            feed.forget(this);
            disconnect();
        }
    }

    private void disconnect() {
        ManagedChannel connection = channel;
        if (connection != null) {
            connection.shutdownNow();
        }
    }
}
