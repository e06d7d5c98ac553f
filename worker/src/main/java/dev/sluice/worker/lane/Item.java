package dev.sluice.worker.lane;

import dev.sluice.worker.stream.Delivery;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A message in a lane, from its delivery until it is finished. Guarded by its lane, except for {@link #delivery()}. */
final class Item {
    private final Instant receivedAt;
    private volatile Delivery delivery;
    private @Nullable Feed feed;
    private boolean needsAck;
    private boolean running;
    private int failures;

    Item(Delivery delivery, Feed feed, boolean needsAck, Instant receivedAt, int failures) {
        this.delivery = delivery;
        this.feed = feed;
        this.needsAck = needsAck;
        this.receivedAt = receivedAt;
        this.failures = failures;
        feed.taken(size());
    }

    Delivery delivery() {
        return delivery;
    }

    private int size() {
        return delivery.size();
    }

    long sequence() {
        return delivery.sequence();
    }

    Instant receivedAt() {
        return receivedAt;
    }

    /** Another consumer delivered it, or the same one again: that delivery is the one to acknowledge. */
    void redelivered(Delivery again, Feed by, boolean toBeAcked) {
        if (needsAck && by != feed && by.acksReplaced()) {
            delivery.ack();
        }
        delivery = again;
        needsAck = toBeAcked;
        by.taken(size());
        leaveFeed();
        feed = by;
    }

    /** Acknowledges it although it is not handled: its cursor stands, the consumer needs not to wait for it. */
    void settleEarly() {
        if (needsAck) {
            delivery.ack();
        }
        needsAck = false;
        leaveFeed();
    }

    /** Its consumer may deliver another one in its place. */
    @Nullable
    Feed leaveFeed() {
        Feed before = feed;
        feed = null;
        if (before != null) {
            before.settled(size());
        }
        return before;
    }

    boolean needsAck() {
        return needsAck;
    }

    boolean isRunning() {
        return running;
    }

    void running(boolean now) {
        running = now;
    }

    int failures() {
        return failures;
    }

    void failed() {
        failures++;
    }
}
