package dev.sluice.http;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The way to one gateway, held to one connection where the gateway speaks HTTP/2. Clients open a connection for every request
 * that finds none ready. So while it is not known that a connection stands, one request without a body goes first ({@code
 * OPTIONS}) and the others wait for it. It also finds out what the server speaks: in cleartext HTTP/2 is tried first, then
 * HTTP/1.1. The answer is remembered until a connection fails, HTTP/1.1 for ten minutes at most.
 */
final class HttpLink implements AutoCloseable {
    /** The JDK drops a connection that was idle for 30 seconds. */
    private static final long IDLE_NANOS = Duration.ofSeconds(20).toNanos();

    /** A server may have been too slow to answer by HTTP/2, or have learned it since. */
    private static final long SECOND_BEST_NANOS = Duration.ofMinutes(10).toNanos();

    private final HttpTarget target;

    /** The best first. */
    private final List<HttpExchange> exchanges;

    private final ReentrantLock opening = new ReentrantLock();
    private volatile @Nullable HttpExchange open;
    private volatile long asked = System.nanoTime();
    private volatile long lastAnswer = System.nanoTime();

    HttpLink(HttpTarget target) {
        this.target = target;
        this.exchanges = target.isSecure()
                ? List.of(new JdkExchange(target))
                : List.of(new PriorKnowledgeExchange(target), new JdkExchange(target));
    }

    /** A new connection to the same gateway. */
    HttpLink another() {
        return new HttpLink(target);
    }

    /**
     * @param began when the attempt did, from which its time counts
     * @throws TimeoutException when there is no complete answer in time
     */
    HttpReply post(HttpContent content, long began) throws IOException, InterruptedException, TimeoutException {
        return send(open(began), content, left(began));
    }

    private HttpExchange open(long began) throws IOException, InterruptedException, TimeoutException {
        HttpExchange known = open;
        if (known != null && isFresh(known)) {
            return known;
        }
        if (!opening.tryLock(left(began), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException();
        }
        try {
            known = open;
            if (known != null && isFresh(known)) {
                return known;
            }
            return ask(known == null || isOutdated(known) ? exchanges : List.of(known), began);
        } finally {
            opening.unlock();
        }
    }

    private boolean isFresh(HttpExchange known) {
        return System.nanoTime() - lastAnswer < IDLE_NANOS && !isOutdated(known);
    }

    private boolean isOutdated(HttpExchange known) {
        return !known.equals(exchanges.getFirst()) && System.nanoTime() - asked > SECOND_BEST_NANOS;
    }

    /** Returns the best by which the server answers. */
    private HttpExchange ask(List<HttpExchange> candidates, long began)
            throws IOException, InterruptedException, TimeoutException {
        @Nullable IOException refusal = null;
        @Nullable TimeoutException silence = null;
        for (int k = 0; k < candidates.size(); k++) {
            HttpExchange candidate = candidates.get(k);
            try {
                send(candidate, null, left(began) / (candidates.size() - k));
                asked = System.nanoTime();
                open = candidate;
                return candidate;
            } catch (ConnectException | UnknownHostException nobody) {
                throw nobody;
            } catch (IOException otherVersion) {
                refusal = refusal == null ? otherVersion : refusal;
            } catch (TimeoutException late) {
                silence = late;
            }
        }
        if (silence != null || refusal == null) {
            throw silence == null ? new TimeoutException() : silence;
        }
        throw refusal;
    }

    private HttpReply send(HttpExchange over, @Nullable HttpContent content, long nanos)
            throws IOException, InterruptedException, TimeoutException {
        try {
            HttpReply reply = over.send(content, nanos);
            lastAnswer = System.nanoTime();
            return reply;
        } catch (IOException failed) {
            open = null;
            throw failed;
        }
    }

    private long left(long began) {
        return target.settings().timeout().toNanos() - (System.nanoTime() - began);
    }

    boolean isSilentSince(long moment) {
        return lastAnswer - moment < 0;
    }

    /** Ends when what is under way has. */
    void retire() {
        exchanges.forEach(HttpExchange::retire);
    }

    @Override
    public void close() {
        exchanges.forEach(HttpExchange::close);
    }
}
