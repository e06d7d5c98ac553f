package dev.sluice.worker.lane;

import dev.sluice.worker.Partition;
import dev.sluice.worker.stream.StreamMessage;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Keeps messages that no attempt could handle. */
@FunctionalInterface
public interface DeadLetterSink {
    /**
     * Keeps a message; keeping one twice is harmless.
     *
     * @param attempts how often it was tried
     * @param firstFailure when its first attempt on this worker failed
     * @return null when it is kept for good; else why it is not, for operators: the partition waits and tries again
     */
    @Nullable
    String keep(Partition partition, StreamMessage message, int attempts, String reason, Instant firstFailure);
}
