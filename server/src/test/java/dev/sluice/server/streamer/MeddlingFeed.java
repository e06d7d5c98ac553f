package dev.sluice.server.streamer;

import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import dev.sluice.route.FeedUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A feed that fails, or says something twice, when a test wants it. */
final class MeddlingFeed implements EventFeed {
    final AtomicBoolean fail = new AtomicBoolean();
    final AtomicBoolean repeat = new AtomicBoolean();

    /** Done when events were read and nobody has seen them yet. */
    volatile Runnable beforeHandingOver = () -> {};

    private final EventFeed inner;

    MeddlingFeed(EventFeed inner) {
        this.inner = inner;
    }

    @Override
    public Reader open(String label, @Nullable ProgressMarker after, int partition, int partitions) {
        var reader = inner.open(label, after, partition, partitions);
        return new Reader() {
            private @Nullable Batch again;

            @Override
            public Batch read(int maxEvents, Duration wait) {
                if (fail.getAndSet(false)) {
                    throw new FeedUnavailableException("a test wants it so");
                }
                if (again != null) {
                    var said = again;
                    again = null;
                    return said;
                }
                var batch = reader.read(maxEvents, wait);
                if (!batch.events().isEmpty()) {
                    beforeHandingOver.run();
                }
                again = !batch.events().isEmpty() && repeat.getAndSet(false) ? batch : null;
                return batch;
            }

            @Override
            public void close() {
                reader.close();
            }
        };
    }
}
