package dev.sluice.server.streamer;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.StreamId;
import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** A feed that fails when a test wants it. */
final class MeddlingFeed implements EventFeed {
    /** The next read fails. */
    final AtomicBoolean fail = new AtomicBoolean();
    /** The heads of the logs cannot be asked for. */
    volatile boolean away;

    /** Done when events were read and the partition has not seen them yet. */
    volatile Runnable beforeHandingOver = () -> {};

    private final EventFeed inner;

    MeddlingFeed(EventFeed inner) {
        this.inner = inner;
    }

    @Override
    public Map<String, LogHead> heads() {
        if (away) {
            throw new FeedUnavailableException("a test wants it so");
        }
        return inner.heads();
    }

    @Override
    public List<Position> resolve(String log, long identity, List<EventId> ids) {
        return inner.resolve(log, identity, ids);
    }

    @Override
    public Reader open(String label, StreamId stream, long identity, Position after, Runnable more) {
        var reader = inner.open(label, stream, identity, after, more);
        return new Reader() {
            @Override
            public Batch read(int maxEvents, long maxBytes) {
                if (fail.getAndSet(false)) {
                    throw new FeedUnavailableException("a test wants it so");
                }
                var batch = reader.read(maxEvents, maxBytes);
                if (!batch.events().isEmpty()) {
                    beforeHandingOver.run();
                }
                return batch;
            }

            @Override
            public void close() {
                reader.close();
            }
        };
    }
}
