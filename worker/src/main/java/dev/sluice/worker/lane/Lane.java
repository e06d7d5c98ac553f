package dev.sluice.worker.lane;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.Partition;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.stream.Delivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue and the cursor of one owned partition. A sequence is taken in once, whichever consumer delivers it and however
 * often. The cursor's {@code low} never passes a message that is not finished, nor one that may not have been delivered:
 * it is bounded by the coverage of the consumers that fed the lane. Any thread may call.
 */
public final class Lane {
    /** Finished sequences above an unfinished one, at most: what a stored cursor has to list. */
    private static final int MOST_OUT_OF_ORDER = 1_000;

    /** Finished sequences in memory, at most: they pile up while no coverage can be confirmed. */
    private static final int MOST_FINISHED = 100_000;

    /** Owners that died in a row, from which on a message may be what kills them. */
    private static final int SUSPICIOUS_DEATHS = 2;

    private final FencingToken token;
    private final boolean ordered;
    private final TreeMap<Long, Item> pending = new TreeMap<>();
    private final TreeSet<Long> finished = new TreeSet<>();
    private final long retrying;
    private final int attempts;
    private volatile Partition partition;
    private long stream;
    private long low;
    private long covered;
    private int deaths;
    private int running;
    private boolean stopped;
    /** The queue is forgotten, and says nothing of what is unfinished. */
    private boolean dropped;

    private boolean everFed;
    private boolean fresh;
    private @Nullable Feed feed;
    private @Nullable LongQueue longQueue;
    private @Nullable LongConsumer listener;

    /** A queue that was too long for the others at a time, up to this sequence. */
    private record LongQueue(long seenAt, long last) {}

    /** @param ordered whether the whole partition is handled in order, else each subject of it */
    public Lane(Partition partition, FencingToken token, Cursor start, boolean ordered) {
        this.partition = partition;
        this.token = token;
        this.ordered = ordered;
        this.stream = start.stream();
        this.low = start.low();
        this.covered = start.low();
        this.finished.addAll(start.finished());
        this.retrying = start.retrying();
        this.attempts = start.attempts();
        this.deaths = start.deaths();
    }

    public Partition partition() {
        return partition;
    }

    public FencingToken token() {
        return token;
    }

    /**
     * The partition's entry in the directory has changed, such as to closed. When it is opened again, the consumer that feeds
     * it has delivered messages behind its last one that were refused: a new one is needed, which starts behind the last one.
     */
    public synchronized void partition(Partition changed) {
        if (partition.closed() && !changed.closed()) {
            leaveFeed();
        }
        partition = changed;
    }

    /**
     * Queues a delivered message, unless it is known: then its delivery replaces the one before, or, when it is finished,
     * is acknowledged.
     *
     * @return whether it is new
     */
    public synchronized boolean take(Delivery delivery, Feed by, boolean needsAck, Instant now) {
        long sequence = delivery.sequence();
        Item known = pending.get(sequence);
        if (known != null) {
            known.redelivered(delivery, by, needsAck);
            return false;
        }
        if (stopped) {
            return false;
        }
        if (sequence <= low || finished.contains(sequence)) {
            if (needsAck) {
                delivery.ack();
            }
            return false;
        }
        int failures = sequence == retrying ? attempts : 0;
        pending.put(sequence, new Item(delivery, by, needsAck, now, failures));
        if (listener != null) {
            listener.accept(sequence);
        }
        return true;
    }

    /**
     * Passes the sequence of every message that is taken in from now on to this listener instead of the one before. The
     * listener is called under the lane's lock.
     *
     * @return the highest sequence taken in so far
     */
    public synchronized long observe(LongConsumer taken) {
        listener = taken;
        long highest = coverage();
        highest = pending.isEmpty() ? highest : Math.max(highest, pending.lastKey());
        return finished.isEmpty() ? highest : Math.max(highest, finished.last());
    }

    /** Ends the calls of this listener. */
    public synchronized void ignore(LongConsumer taken) {
        listener = listener == taken ? null : listener;
    }

    /**
     * Whether the lane does not want the message: it is being given up, its partition was closed before the message, or
     * another consumer feeds it.
     */
    public synchronized boolean refuses(long sequence, Feed by) {
        return stopped || feed != by || partition.closed() && sequence > partition.lastSequence();
    }

    /** The next message to handle, which is then running; null when there is none now. */
    synchronized @Nullable Item next(int parallel) {
        if (stopped || running >= (isSuspicious() || ordered ? 1 : parallel) || finishedTooFarAhead()) {
            return null;
        }
        Item next = ordered ? firstIdle() : firstOfIdleKey();
        if (next != null) {
            next.running(true);
            running++;
        }
        return next;
    }

    private @Nullable Item firstIdle() {
        Map.Entry<Long, Item> first = pending.firstEntry();
        return first == null || first.getValue().isRunning() ? null : first.getValue();
    }

    private @Nullable Item firstOfIdleKey() {
        Set<String> earlier = new HashSet<>();
        for (Item item : pending.values()) {
            boolean firstOfItsKey = earlier.add(item.delivery().subject());
            if (firstOfItsKey && !item.isRunning()) {
                return item;
            }
        }
        return null;
    }

    private boolean finishedTooFarAhead() {
        return finished.size() >= MOST_FINISHED
                || !ordered
                        && !pending.isEmpty()
                        && finished.size() >= MOST_OUT_OF_ORDER
                        && finished.tailSet(pending.firstKey()).size() >= MOST_OUT_OF_ORDER;
    }

    /** The running message is finished: handled, or kept as a dead letter. Acknowledges it. */
    void finish(Item item) {
        boolean ack;
        Feed by;
        synchronized (this) {
            item.running(false);
            running--;
            long sequence = item.sequence();
            if (pending.remove(sequence, item)) {
                finished.add(sequence);
            }
            ack = item.needsAck();
            by = item.leaveFeed();
            advance();
        }
        if (ack) {
            item.delivery().ack();
        }
        if (by != null) {
            by.pullMore();
        }
    }

    /** The running message is not finished: it stays in the queue. */
    synchronized void putBack(Item item) {
        item.running(false);
        running--;
    }

    synchronized void failed(Item item) {
        item.failed();
    }

    private void advance() {
        if (dropped) {
            return;
        }
        // The coverage first: what it covers is in the queue, or finished, by now.
        long proven = coverage();
        long unfinished = pending.isEmpty() ? Long.MAX_VALUE : pending.firstKey();
        low = Math.max(low, Math.min(proven, unfinished - 1));
        // Not by a view of the set: this is called for every message, and nearly always there is none or one.
        while (!finished.isEmpty() && finished.first() <= low) {
            finished.pollFirst();
        }
    }

    /** Every message of the partition up to here is finished. */
    public synchronized long finishedTo() {
        advance();
        return low;
    }

    /** Every message of the partition up to here has been taken in. */
    public synchronized long coverage() {
        // A stopped lane takes nothing in: what its consumer delivers since is not covered.
        long proven = feed == null || stopped ? covered : Math.max(covered, feed.coverage());
        return partition.closed() ? Math.min(proven, Math.max(low, partition.lastSequence())) : proven;
    }

    /** Whether a consumer for it has existed since this worker took it. */
    public synchronized boolean wasFed() {
        return everFed;
    }

    public synchronized Cursor cursor() {
        advance();
        Item suspect = pending.isEmpty() ? null : pending.firstEntry().getValue();
        boolean recorded = suspect != null && isSuspicious() && suspect.isRunning();
        int tried = suspect == null ? 0 : suspect.failures() + (recorded ? 1 : 0);
        boolean expected = suspect == null && retrying > low;
        return new Cursor(
                stream,
                low,
                finished.stream().limit(MOST_OUT_OF_ORDER).toList(),
                tried > 0 && suspect != null ? suspect.sequence() : expected ? retrying : 0,
                tried > 0 ? tried : expected ? attempts : 0,
                deaths);
    }

    /** Whether so many owners died with this partition that each attempt is recorded before it begins. */
    public synchronized boolean isSuspicious() {
        return deaths >= SUSPICIOUS_DEATHS;
    }

    /** This owner has lived long enough: the partition does not kill. */
    public synchronized void clearDeaths() {
        deaths = 0;
    }

    /** From now on this consumer feeds the lane; it starts at or below the lane's coverage + 1. */
    public synchronized void attach(Feed by) {
        covered = coverage();
        feed = by;
        everFed = true;
        longQueue = null;
    }

    /**
     * This consumer does not feed the lane any more, but its messages are still to be acknowledged there. Nothing happens when
     * another one feeds it by now.
     */
    public synchronized void detach(Feed by) {
        if (feed == by) {
            leaveFeed();
        }
    }

    private void leaveFeed() {
        covered = coverage();
        feed = null;
        longQueue = null;
    }

    /** Acknowledges all queued messages on the consumer that delivered them: the cursor stands. Limits streams only. */
    public synchronized void settleEarly() {
        pending.values().forEach(Item::settleEarly);
    }

    public synchronized boolean isFed() {
        return feed != null;
    }

    public synchronized @Nullable Feed feed() {
        return feed;
    }

    /** No handler call begins any more, and nothing is taken in: so what its consumer delivers from now on is not covered. */
    public synchronized void stop() {
        covered = coverage();
        stopped = true;
    }

    public synchronized boolean isStopped() {
        return stopped;
    }

    public synchronized boolean isRunning() {
        return running > 0;
    }

    /** Forgets the queue: the messages are another consumer's, or another worker's. */
    public synchronized void drop() {
        advance();
        stop();
        dropped = true;
        pending.values().forEach(Item::leaveFeed);
        pending.clear();
    }

    /** Restarts the ack wait of everything that is not acknowledged. */
    public void inProgress() {
        for (Delivery delivery : unacknowledged()) {
            delivery.inProgress();
        }
    }

    private synchronized List<Delivery> unacknowledged() {
        List<Delivery> deliveries = new ArrayList<>();
        for (Item item : pending.values()) {
            if (item.needsAck()) {
                deliveries.add(item.delivery());
            }
        }
        return deliveries;
    }

    public synchronized int size() {
        return pending.size();
    }

    public synchronized int attempts() {
        return pending.isEmpty() ? 0 : pending.firstEntry().getValue().failures();
    }

    public synchronized long low() {
        return low;
    }

    public synchronized long stream() {
        return stream;
    }

    /**
     * Whether this lane has been in the way of others for so long: it still holds what it held then. A lane that has worked
     * its queue off since is as fast as what comes.
     *
     * @param blocks whether its queue is too long for the others now
     */
    public synchronized boolean isBlockingFor(boolean blocks, long nanos, long now) {
        if (!blocks || pending.isEmpty()) {
            longQueue = null;
            return false;
        }
        LongQueue before = longQueue;
        if (before == null || pending.firstKey() > before.last()) {
            longQueue = new LongQueue(now, pending.lastKey());
            return false;
        }
        return now - before.seenAt() >= nanos;
    }

    /** No worker has handled the partition yet: it begins where its group began. */
    public synchronized void markFresh() {
        fresh = true;
    }

    public synchronized boolean isFresh() {
        return fresh;
    }

    /** Begins behind this sequence of this stream, because what was before is gone or belongs to another stream. */
    public synchronized void restartAfter(long streamCreated, long sequence) {
        if (stream != 0 && stream != streamCreated || sequence < covered) {
            // Sequences of another stream, or of messages that the stream has lost: they mean other messages now.
            pending.values().forEach(Item::leaveFeed);
            pending.clear();
        }
        fresh = false;
        stream = streamCreated;
        low = sequence;
        covered = sequence;
        finished.clear();
    }

    /** Whether a closed partition is handled to its end. */
    public synchronized boolean isComplete() {
        if (!partition.closed()) {
            return false;
        }
        advance();
        return pending.isEmpty() && low >= partition.lastSequence();
    }
}
