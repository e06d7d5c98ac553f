package dev.sluice.http;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Requests to one gateway by one client library. Any number may be under way at once. */
interface HttpExchange extends AutoCloseable {
    /**
     * Blocks until the answer is complete.
     *
     * @param content null: asks by {@code OPTIONS}, which changes nothing
     * @param nanos how long it may take, the connection included
     * @throws TimeoutException when there is no complete answer in time
     * @throws IOException when the server cannot be reached, or does not speak this version of HTTP
     */
    HttpReply send(@Nullable HttpContent content, long nanos)
            throws IOException, InterruptedException, TimeoutException;

    /** Closes it when what is under way has ended. */
    void retire();

    @Override
    void close();
}
