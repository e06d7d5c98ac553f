package dev.sluice.lane;

import dev.sluice.model.InvalidInputException;
import java.time.Duration;

/**
 * How the way to each gateway is built.
 *
 * @param batch what one attempt carries
 * @param queue what may wait in memory; beyond it a lane falls behind to a position
 * @param retry how a failed attempt is repeated
 * @param breaker when a gateway counts as unreachable
 * @param inFlight how many batches may be under way at once
 * @param deadLetters whether what a gateway refuses is kept aside; false: it is tried until the gateway takes it, and what
 *     follows it for that subscription waits
 * @param stuck when a subscription is delivered apart from the others of its gateway
 */
public record LaneSettings(
        Batch batch, Queue queue, Retry retry, Breaker breaker, int inFlight, boolean deadLetters, Stuck stuck) {
    public static final LaneSettings DEFAULT =
            new LaneSettings(Batch.DEFAULT, Queue.DEFAULT, Retry.DEFAULT, Breaker.DEFAULT, 8, true);

    /** With the usual {@link Stuck}. */
    public LaneSettings(Batch batch, Queue queue, Retry retry, Breaker breaker, int inFlight, boolean deadLetters) {
        this(batch, queue, retry, breaker, inFlight, deadLetters, Stuck.DEFAULT);
    }

    public LaneSettings {
        require(inFlight > 0, "at least one batch must be allowed in flight");
    }

    /**
     * @param maxWait how long an event waits for others at most, while another batch is under way
     * @param flushInterval how often that is looked at; what would be late at the next look goes out
     */
    public record Batch(int maxSize, long maxBytes, Duration maxWait, Duration flushInterval) {
        public static final Batch DEFAULT = new Batch(100, 4L << 20, Duration.ofMillis(50), Duration.ofMillis(10));

        public Batch {
            require(maxSize > 0 && maxBytes > 0, "a batch holds at least one event and one byte");
            require(maxWait.isPositive() && flushInterval.isPositive(), "a batch waits for a time above 0");
        }
    }

    /**
     * Of all priority classes of one gateway together.
     *
     * @param soft percent of the size or the bytes from which on the low class gets no more
     * @param hard percent from which on a class gets no more, counting what is queued of it and of higher classes: the rest of
     *     the queue is kept for the higher ones
     */
    public record Queue(int size, long bytes, int soft, int hard) {
        public static final Queue DEFAULT = new Queue(10_000, 64L << 20, 70, 90);

        public Queue {
            require(size > 0 && bytes > 0, "a queue holds at least one event and one byte");
            require(
                    0 < soft && soft <= hard && hard <= 100,
                    "watermarks are percentages, the soft one not above the hard");
        }

        /** Percent below which groups behind the tail are given more. */
        public int catchUp() {
            return Math.max(1, soft / 2);
        }
    }

    /** @param maxAttempts so often must an event fail alone, while the gateway answers, before it is a dead letter */
    public record Retry(int maxAttempts, Duration initialDelay, Duration maxDelay, double multiplier) {
        public static final Retry DEFAULT = new Retry(3, Duration.ofMillis(100), Duration.ofSeconds(5), 2);

        public Retry {
            require(maxAttempts > 0, "there is at least one attempt");
            require(
                    initialDelay.isPositive() && maxDelay.compareTo(initialDelay) >= 0 && multiplier >= 1,
                    "the delay between attempts is above 0, at most the longest, and does not shrink");
        }
    }

    /** @param threshold so many failures in a row open it */
    public record Breaker(int threshold, Duration openFor) {
        public static final Breaker DEFAULT = new Breaker(5, Duration.ofSeconds(30));

        public Breaker {
            require(threshold > 0 && openFor.isPositive(), "a breaker opens after a failure, for a time above 0");
        }
    }

    /**
     * @param after a subscription whose events a gateway wants later for so long, while it acknowledges most others, is stuck
     * @param most so many are delivered apart at once in one partition; beyond them the gateway's other subscriptions wait
     */
    public record Stuck(Duration after, int most) {
        public static final Stuck DEFAULT = new Stuck(Duration.ofSeconds(5), 256);

        public Stuck {
            require(after.isPositive() && most >= 0, "stuck_after is a time above 0, and max_stuck not below 0");
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new InvalidInputException(otherwise);
        }
    }
}
