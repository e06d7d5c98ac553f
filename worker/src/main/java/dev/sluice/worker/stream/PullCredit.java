package dev.sluice.worker.stream;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The account of one pull: how many messages its user still wants, and which requests the server has neither fulfilled nor
 * given back. A delivery does not say which request it answers: it is booked on the oldest one, and a request that ends
 * corrects the others.
 */
final class PullCredit {
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    /** What the waiting requests miss together; asked for with every delivery, so it is kept. */
    private int outstanding;

    private int wanted;
    private int maxBytes;
    private long number;
    private boolean tooLargeForBytes;
    private boolean paused;

    /** @param maxBytes 0: no bound */
    record Request(long number, int batch, int maxBytes) {}

    /** A request that the server has. */
    private static final class Waiting {
        final Request request;
        final long sentAt;
        int missing;

        Waiting(Request request, long sentAt) {
            this.request = request;
            this.sentAt = sentAt;
            this.missing = request.batch();
        }
    }

    synchronized void want(int messages, int bytes) {
        wanted = messages;
        maxBytes = bytes;
    }

    synchronized int outstanding() {
        return outstanding;
    }

    /**
     * The next request, which the caller sends; null while enough is asked for. Asking only when less than half is
     * outstanding bounds the number of waiting requests: each is larger than all before it.
     *
     * @param now in nanoseconds
     */
    synchronized @Nullable Request next(long now) {
        if (paused || wanted == 0 || outstanding * 2L >= wanted) {
            return null;
        }
        boolean single = tooLargeForBytes && outstanding == 0;
        Request request = single ? new Request(++number, 1, 0) : new Request(++number, wanted - outstanding, maxBytes);
        tooLargeForBytes = false;
        waiting.addLast(new Waiting(request, now));
        outstanding += request.batch();
        return request;
    }

    synchronized void delivered() {
        wanted = Math.max(0, wanted - 1);
        book(1);
    }

    /** A request that was not sent. The pull waits for {@link #resume}: sending at once would fail again. */
    synchronized void unsent(Request request) {
        paused = true;
        forget(each -> each.request.number() == request.number());
    }

    /**
     * The server ended a request.
     *
     * @param pending what it did not deliver of it; below 0: it did not say, so nothing was delivered
     * @param hold whether to wait for {@link #resume} before the next request
     */
    synchronized void ended(long requestNumber, int pending, boolean hold) {
        end(requestNumber, pending);
        paused |= hold;
    }

    /** As {@link #ended}, because the next message exceeds what is left of the request's bytes. */
    synchronized void exceededBytes(long requestNumber, int pending) {
        tooLargeForBytes = end(requestNumber, pending);
    }

    /** Forgets requests that were sent before this time: the server dropped them without a word, or its word was lost. */
    synchronized void forgetBefore(long time) {
        forget(each -> each.sentAt - time < 0);
    }

    private void forget(Predicate<Waiting> which) {
        waiting.removeIf(which);
        outstanding = waiting.stream().mapToInt(each -> each.missing).sum();
    }

    synchronized void resume() {
        paused = false;
    }

    /** Returns whether nothing was delivered of it. */
    private boolean end(long requestNumber, int pending) {
        for (Waiting each : waiting) {
            if (each.request.number() == requestNumber) {
                int undelivered = pending < 0 ? each.request.batch() : pending;
                waiting.remove(each);
                outstanding -= each.missing;
                book(undelivered - each.missing);
                return undelivered >= each.request.batch();
            }
        }
        return false;
    }

    /** Takes so many from the oldest requests, or gives them back to the oldest one. */
    private void book(int messages) {
        int left = messages;
        while (left != 0 && !waiting.isEmpty()) {
            Waiting oldest = waiting.getFirst();
            int taken = Math.min(left, oldest.missing);
            oldest.missing -= taken;
            outstanding -= taken;
            left -= taken;
            if (oldest.missing == 0) {
                waiting.removeFirst();
            }
        }
    }
}
