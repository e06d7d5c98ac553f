package dev.sluice.mongodb;

import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.capture.StartPoint;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One of several streams that were opened behind one position. The position may be that of an event which only another stream
 * sees: a server that does not know it says so at once, or when the next newer event comes. Then the position's whole time is
 * read again. A position that none of the streams knows is unknown to the source. Used by one thread.
 */
final class ReopenedStream implements OneOfSeveral {
    /** Opens the stream. */
    interface Opening {
        OneOfSeveral open(StartPoint from) throws SourceException;
    }

    private final Opening opening;
    private final StartPoint from;
    private final AtomicInteger others;
    private OneOfSeveral stream;
    private boolean mayBeUnknown;

    /** @param others how many streams may still know the position, this one included; shared by all of them */
    ReopenedStream(Opening opening, StartPoint from, AtomicInteger others) throws SourceException {
        this.opening = opening;
        this.from = from;
        this.others = others;
        this.mayBeUnknown = from instanceof StartPoint.After;
        OneOfSeveral opened;
        try {
            opened = opening.open(from);
        } catch (SourceException failed) {
            opened = atItsTime(failed);
        }
        this.stream = opened;
    }

    @Override
    public StreamBatch nextOfSeveral(long askedAfter) throws SourceException {
        try {
            StreamBatch batch = stream.nextOfSeveral(askedAfter);
            mayBeUnknown &= batch.batch().events().isEmpty();
            return batch;
        } catch (SourceException failed) {
            OneOfSeveral failing = stream;
            stream = atItsTime(failed);
            failing.close();
            return stream.nextOfSeveral(askedAfter);
        }
    }

    private OneOfSeveral atItsTime(SourceException failed) throws SourceException {
        if (!(failed.failure() instanceof SourceFailure.TokenUnknown)) {
            throw failed;
        }
        if (!mayBeUnknown || !(from instanceof StartPoint.After after)) {
            throw new SourceException(
                    new SourceFailure.PositionLost(failed.failure().detail()), failed);
        }
        mayBeUnknown = false;
        if (others.decrementAndGet() == 0) {
            throw failed;
        }
        return opening.open(new StartPoint.At(after.checkpoint().time()));
    }

    @Override
    public void close() {
        stream.close();
    }
}
