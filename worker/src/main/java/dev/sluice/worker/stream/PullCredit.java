package dev.sluice.worker.stream;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The account of one pull: how many messages its user still wants, and how many the server was asked for and has neither
 * delivered nor given back. Requests share one account, because a delivery does not say which request it answers.
 */
final class PullCredit {
    private static final int REMEMBERED_REQUESTS = 64;

    private final Deque<Request> sent = new ArrayDeque<>();
    private int wanted;
    private int maxBytes;
    private int outstanding;
    private long number;
    private boolean tooLargeForBytes;
    private boolean paused;

    /** @param maxBytes 0: no bound */
    record Request(long number, int batch, int maxBytes) {}

    synchronized void want(int messages, int bytes) {
        wanted = messages;
        maxBytes = bytes;
    }

    synchronized int outstanding() {
        return outstanding;
    }

    /** The next request, which the caller sends; null while enough is asked for. */
    synchronized @Nullable Request next() {
        if (paused || wanted == 0 || outstanding * 2 >= wanted) {
            return null;
        }
        boolean single = tooLargeForBytes && outstanding == 0;
        Request request = single ? new Request(++number, 1, 0) : new Request(++number, wanted - outstanding, maxBytes);
        tooLargeForBytes = false;
        outstanding += request.batch();
        sent.addLast(request);
        if (sent.size() > REMEMBERED_REQUESTS) {
            sent.removeFirst();
        }
        return request;
    }

    synchronized void delivered() {
        wanted = Math.max(0, wanted - 1);
        outstanding = Math.max(0, outstanding - 1);
    }

    /** A request that was not sent. The pull waits for {@link #resume}: sending at once would fail again. */
    synchronized void unsent(Request request) {
        paused = true;
        outstanding = Math.max(0, outstanding - request.batch());
    }

    /**
     * The server ended a request.
     *
     * @param pending what it did not deliver of it; below 0: it did not say, so nothing was delivered
     * @param hold whether to wait for {@link #resume} before the next request
     */
    synchronized void ended(long requestNumber, int pending, boolean hold) {
        int batch = forget(requestNumber);
        outstanding = Math.max(0, outstanding - (pending < 0 ? batch : pending));
        paused |= hold;
    }

    /** As {@link #ended}, because the next message exceeds the request's bound in bytes. */
    synchronized void exceededBytes(long requestNumber, int pending) {
        int batch = forget(requestNumber);
        tooLargeForBytes = pending < 0 || pending >= batch;
        outstanding = Math.max(0, outstanding - (pending < 0 ? batch : pending));
    }

    synchronized void resume() {
        paused = false;
    }

    private int forget(long requestNumber) {
        for (Request request : sent) {
            if (request.number() == requestNumber) {
                sent.remove(request);
                return request.batch();
            }
        }
        return 0;
    }
}
