package dev.sluice.worker;

import dev.sluice.worker.stream.StreamMessage;

/**
 * Handles the messages of partitions. Messages of one partition come one after the other, in the order of the stream;
 * those of different partitions at the same time, each on a virtual thread. A message may come more than once: after a
 * crash, or when its partition moved. A handler that writes elsewhere puts {@link MessageContext#token()} on its writes and
 * has lower ones refused there; that keeps a worker out that was replaced while it was stopped.
 */
@FunctionalInterface
public interface MessageHandler {
    /** An interrupt means that the partition is no longer this worker's: stop, the outcome no longer counts. */
    Outcome handle(MessageContext context, StreamMessage message) throws Exception;
}
