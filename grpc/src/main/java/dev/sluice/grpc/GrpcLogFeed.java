package dev.sluice.grpc;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.LogChangedException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.StreamId;
import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The logs of a Puller elsewhere. All readers and calls use one address at a time, because positions belong to the log of
 * one Puller. After a failure all move to the next address: readers of the former one end, and those opened with its
 * identity are told that the log has changed. Each reader has a connection of its own, so that one which stands still holds
 * up no other.
 */
public final class GrpcLogFeed implements EventFeed, AutoCloseable {
    private static final Duration LONGEST_TICK = Duration.ofSeconds(1);
    private static final Duration SHORTEST_TICK = Duration.ofMillis(10);

    private final PullerAccess access;
    private final Duration silence;
    private final Set<GrpcLogReader> readers = ConcurrentHashMap.newKeySet();
    private final Loop watch;
    private int turn;
    private volatile PullerLink link;
    private volatile boolean closed;

    /**
     * @param silence a Puller that sends neither events nor heartbeats to a reader for so long is given up
     * @param loops of this process; one of them watches for silence
     */
    public GrpcLogFeed(PullerAccess access, Duration silence, Loops loops) {
        this.access = access;
        this.silence = silence;
        this.link = new PullerLink(access, access.addresses().getFirst());
        this.watch = loops.loop("sluice-feed-watch").start(this::watchSilence);
    }

    private Duration watchSilence() {
        long nanos = System.nanoTime();
        readers.forEach(reader -> reader.endIfSilent(nanos));
        Duration tick = silence.dividedBy(4);
        tick = tick.compareTo(LONGEST_TICK) > 0 ? LONGEST_TICK : tick;
        return tick.compareTo(SHORTEST_TICK) < 0 ? SHORTEST_TICK : tick;
    }

    @Override
    public Map<String, LogHead> heads() {
        PullerLink asked = link;
        try {
            return asked.heads();
        } catch (PullerFailure failure) {
            throw refused(asked, failure);
        }
    }

    @Override
    public List<Position> resolve(String log, long identity, List<EventId> ids) {
        PullerLink asked = link;
        try {
            return asked.resolve(log, identity, ids);
        } catch (PullerFailure failure) {
            throw refused(asked, failure);
        }
    }

    private RuntimeException refused(PullerLink asked, PullerFailure failure) {
        if (failure.concernsPuller()) {
            leave(asked);
        }
        RuntimeException told = failure.toFeedException();
        if (told instanceof LogChangedException) {
            asked.forgetHeads();
        }
        return told;
    }

    @Override
    public Reader open(String label, StreamId stream, long identity, Position after, Runnable more) {
        PullerLink used = link;
        Position known = used.known(stream.log(), identity);
        GrpcLogReader reader = new GrpcLogReader(
                this, used.address(), stream, identity, after, known == null ? after : known, silence, more);
        readers.add(reader);
        reader.begin(access, label);
        if (closed || !link.address().equals(used.address())) {
            reader.move();
        }
        return reader;
    }

    /** A batch from this address told the head of a log. */
    void heard(String address, String log, long identity, Position head) {
        PullerLink present = link;
        if (present.address().equals(address)) {
            present.heard(log, identity, head);
        }
    }

    /** A reader of this address failed. Where there is one address only, the others stay: it is the same log. */
    void failed(String address, PullerFailure failure) {
        PullerLink present = link;
        if (!present.address().equals(address)) {
            return;
        }
        if (failure.logChanged()) {
            present.forgetHeads();
        }
        if (failure.concernsPuller() && access.addresses().size() > 1) {
            leave(present);
        }
    }

    /** The first that finds a Puller failing moves on, for all. */
    private synchronized void leave(PullerLink failing) {
        if (link != failing || closed) {
            return;
        }
        turn = (turn + 1) % access.addresses().size();
        PullerLink next = new PullerLink(access, access.addresses().get(turn));
        link = next;
        failing.close();
        readers.stream()
                .filter(reader -> !reader.address().equals(next.address()))
                .forEach(GrpcLogReader::move);
    }

    void forget(GrpcLogReader reader) {
        readers.remove(reader);
    }

    @Override
    public void close() {
        watch.close();
        synchronized (this) {
            closed = true;
            link.close();
        }
        readers.forEach(GrpcLogReader::move);
    }
}
