package dev.sluice.worker.consume;

/**
 * How many messages to ask for at once: about two seconds of work. Doubles at once when a whole batch is finished within a
 * window, and while the server has more and the queue is not half full; halves while the queue holds more than two seconds of
 * work.
 *
 * <p>Too few cost throughput twice: a consumer with several filters that falls behind the stream's end by more messages than
 * the stream has subjects needs the server's time many times over for each message, and may not catch up again.
 */
final class AdaptiveBatch {
    private static final long WINDOW_NANOS = 250_000_000L;
    private static final double LONGEST_QUEUE_SECONDS = 2;

    /** A queue this short says nothing of the handler's speed. */
    private static final int FEW = 16;

    private final int first;
    private final int most;
    private int size;
    private long windowStart;
    private long finished;
    private double perSecond;

    AdaptiveBatch(int first, int most, long now) {
        this.first = Math.min(first, most);
        this.most = most;
        this.size = this.first;
        this.windowStart = now;
    }

    synchronized void finished() {
        finished++;
    }

    /** @param pending messages the server has not delivered yet, as far as it told */
    synchronized int size(long now, int queued, long pending) {
        long elapsed = now - windowStart;
        if (elapsed >= WINDOW_NANOS) {
            double measured = finished * 1e9 / elapsed;
            perSecond = perSecond == 0 ? measured : (perSecond + measured) / 2;
            windowStart = now;
            finished = 0;
            size = next(queued, pending);
        } else if (finished >= size) {
            size = Math.min(most, size * 2);
        }
        return size;
    }

    private int next(int queued, long pending) {
        int work = (int) Math.min(most, perSecond * LONGEST_QUEUE_SECONDS);
        if (queued >= FEW && queued > perSecond * LONGEST_QUEUE_SECONDS) {
            return Math.max(1, size / 2);
        }
        if (pending > 0 && queued < most / 2) {
            return Math.min(most, Math.max(size * 2, work));
        }
        return pending == 0 ? Math.max(first, work) : size;
    }
}
