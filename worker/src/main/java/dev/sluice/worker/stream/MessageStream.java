package dev.sluice.worker.stream;

import java.util.Map;
import java.util.OptionalLong;

/**
 * One JetStream stream. Calls block, at most for the request timeout; any thread may call. All of them throw {@link
 * StreamUnavailableException} when there was no answer: a change may then have happened, or not, or may happen later.
 */
public interface MessageStream extends AutoCloseable {
    /** After so many subjects no further page of them is asked for. */
    int MAX_SUBJECTS_COLLECTED = 100_000;

    /** As the stream's leader knows it. */
    StreamState state();

    /**
     * The subjects below this filter that have messages, with their counts. When there are more than {@link
     * #MAX_SUBJECTS_COLLECTED}, some may be left out: any publisher can create subjects.
     */
    Map<String, Long> subjects(String filter);

    /** The sequence of the last message that matches the filter, by the stream's leader; empty when there is none. */
    OptionalLong lastOf(String filter);

    Consumers consumers();

    /** Calls the listener, briefly, each time a lost connection is back: deliveries may be missing since. */
    void whenBack(Runnable listener);

    @Override
    void close();
}
