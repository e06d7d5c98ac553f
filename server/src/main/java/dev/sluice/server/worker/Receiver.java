package dev.sluice.server.worker;

import dev.sluice.worker.MessageContext;
import dev.sluice.worker.stream.StreamMessage;

/** Takes forwarded messages: one server, or one subject. Any number of threads may send at once. */
interface Receiver extends AutoCloseable {
    /** Blocks until the receiver has answered, or an attempt's time is over. */
    Answer send(MessageContext context, StreamMessage message) throws InterruptedException;

    @Override
    void close();

    /** What the receiver answered to one message. */
    sealed interface Answer {
        /** The receiver has it. */
        record Accepted() implements Answer {}

        /** The receiver will never take it. */
        record Refused(String reason) implements Answer {}

        /** The receiver answered, and could not handle it this time: the message may be the cause. */
        record Failed(String reason) implements Answer {}

        /** The receiver did not answer, or said that it is not available: no message is the cause. */
        record Away(String reason) implements Answer {}

        Answer ACCEPTED = new Accepted();
    }
}
