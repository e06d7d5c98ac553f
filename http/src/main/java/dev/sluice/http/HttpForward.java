package dev.sluice.http;

import dev.sluice.deliver.Reason;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * Posts single messages to one URL and waits for the answer: over HTTP/2 where the receiver speaks it (one connection, a
 * stream per message), else over HTTP/1.1. Any number of threads may post at once.
 */
public final class HttpForward implements AutoCloseable {
    private final HttpDelivery settings;
    private final String server;
    private HttpLink link;
    private boolean closed;

    public HttpForward(URI receiver, HttpDelivery settings) {
        this.settings = settings;
        this.server = receiver.getAuthority();
        Map<String, String> headers = new LinkedHashMap<>();
        if (settings.token() != null) {
            headers.put("authorization", "Bearer " + settings.token());
        }
        this.link = new HttpLink(new HttpTarget(receiver, headers, settings));
    }

    /** The receiver's answer. */
    public sealed interface Answer {
        /** @param text the beginning of the body, in one line */
        record Status(int code, String text) implements Answer {}

        /** No complete answer: the receiver may or may not have handled the message. */
        record None(String reason) implements Answer {}
    }

    /** Blocks until the answer is complete or the timeout is over. */
    public Answer post(byte[] body, String contentType, Map<String, String> headers) throws InterruptedException {
        long began = System.nanoTime();
        HttpLink over = link();
        try {
            HttpReply reply = over.post(HttpContent.of(body, contentType, headers), began);
            return new Answer.Status(reply.status(), Reason.brief(new String(reply.body(), StandardCharsets.UTF_8)));
        } catch (TimeoutException silence) {
            stopIfInterrupted();
            if (over.isSilentSince(began)) {
                replace(over);
            }
            return new Answer.None(
                    "no answer from " + server + " within " + settings.timeout().toMillis() + " ms");
        } catch (IOException away) {
            stopIfInterrupted();
            return new Answer.None("cannot reach " + server + ": " + Reason.of(away));
        }
    }

    /** An interrupt ends a request with an exception of its own. */
    private static void stopIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private synchronized HttpLink link() {
        return link;
    }

    /** A connection that answers nothing any more is left: HTTP/2 has no way to tell. */
    private synchronized void replace(HttpLink silent) {
        if (link == silent && !closed) {
            link = silent.another();
            silent.retire();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        link.close();
    }
}
