package dev.sluice.worker.lane;

import dev.sluice.worker.Partition;
import dev.sluice.worker.stream.StreamMessage;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Keeps messages that no attempt could handle. */
@FunctionalInterface
public interface DeadLetterSink {
    /**
     * A message that is given up.
     *
     * @param stream the creation time of its stream in milliseconds
     * @param worker the id of the worker that gives up
     * @param attempts how often it was tried
     * @param since when its first attempt on this worker failed
     */
    record GivenUp(
            Partition partition,
            long stream,
            StreamMessage message,
            String worker,
            int attempts,
            String reason,
            Instant since) {}

    /**
     * Keeps a message; keeping one twice is harmless.
     *
     * @return null when it is kept for good; else why it is not, for operators: the partition waits and tries again
     */
    @Nullable
    String keep(GivenUp message);
}
