package dev.sluice.worker.stream;

import java.util.List;

/** A stream of a test, as its operator and its publishers see it: what is not part of the port. */
interface TestStream extends AutoCloseable {
    MessageStream stream();

    /** Publishes a message and returns its sequence when the stream has acknowledged it. */
    long publish(String subject, byte[] body);

    /** Removes the messages below this sequence. */
    void purgeBefore(long sequence);

    /** The sequences of all messages that are in the stream now. */
    List<Long> stored();

    /** Deletes the stream. */
    @Override
    void close();
}
