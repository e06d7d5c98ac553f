package dev.sluice.worker.consume;

import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.lane.Feed;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.partition.SubjectFilter;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.Delivery;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A consumer and the lanes it feeds. Its coverage grows by first deliveries in an unbroken run of consumer sequences; when
 * one is missing, the reader is broken: it takes nothing in any more, and its lanes get another reader that starts at their
 * coverage. A broken reader is never used again.
 */
final class Reader implements Feed, Consumers.Receiver {
    /** Part of max_ack_pending above which nothing more is asked for. */
    private static final double STOP_PULLING_AT = 0.8;

    private final ConsumerSpec spec;
    private final boolean durable;
    private final WorkerContext context;
    private final boolean confirmedAtOnce;
    private final Runnable changed;
    private final int capacity;
    private final AdaptiveBatch batch;
    private final Map<Integer, LaneRunner> lanes = new ConcurrentHashMap<>();
    private final AtomicInteger unsettled = new AtomicInteger();
    private final AtomicLong unsettledBytes = new AtomicLong();
    private final ReadAhead.Share share;
    private volatile Consumers.@Nullable Pull pull;
    private long expected = 1;
    private long noted;
    private int strays;
    private long askedForLastAt;
    private boolean filtersChanged;
    private long filtersCheckedAt;
    private volatile Set<String> filters;
    private volatile long confirmed;
    private volatile long pending;
    private volatile long activeAt;
    private volatile int limit;
    private final AtomicLong askedBytes = new AtomicLong();
    private volatile @Nullable ConsumerState baseline;
    private volatile @Nullable String broken;
    private volatile boolean closed;

    /**
     * @param start everything of its filters at or below {@code start − 1} is covered already by its lanes
     * @param state as the consumer was created
     * @param readAhead the common bound of this worker's readers
     * @param changed called when something is to be looked at: it broke, or came near the end
     */
    Reader(
            ConsumerSpec spec,
            boolean durable,
            long start,
            ConsumerState state,
            WorkerContext context,
            ReadAhead readAhead,
            Runnable changed) {
        this.spec = spec;
        this.durable = durable;
        this.context = context;
        this.changed = changed;
        this.filters = Set.copyOf(spec.filters());
        this.confirmedAtOnce = spec.inMemory() || context.replicas() == 1;
        this.noted = start - 1;
        this.confirmed = start - 1;
        this.pending = state.pending();
        WorkerSettings settings = context.settings();
        this.capacity = capacity(settings);
        this.limit = capacity;
        this.share = readAhead.share();
        this.activeAt = context.clockwork().nanos();
        this.batch = new AdaptiveBatch(durable ? settings.batch() : capacity, capacity, activeAt);
    }

    /** How many messages one reader may hold. */
    static int capacity(WorkerSettings settings) {
        return Math.max(1, (int) (settings.maxAckPending() * STOP_PULLING_AT));
    }

    /** Begins to receive. All lanes that are to be fed from the start are attached by now. */
    void open() {
        Consumers.Pull opened = context.stream().consumers().pull(spec.name(), this);
        synchronized (this) {
            if (closed) {
                opened.close();
                return;
            }
            pull = opened;
        }
        pullMore();
    }

    void attach(LaneRunner lane) {
        lanes.put(lane.lane().partition().index(), lane);
        lane.lane().attach(this);
    }

    /** The lane keeps the coverage that this reader has given it. */
    synchronized void detach(LaneRunner lane) {
        if (lanes.remove(lane.lane().partition().index(), lane)) {
            lane.lane().detach(this);
        }
    }

    @Override
    public void delivered(Delivery delivery) {
        LaneRunner lane = null;
        boolean taken = false;
        synchronized (this) {
            if (closed || broken != null) {
                return;
            }
            count(delivery);
            if (delivery.consumerSequence() != expected) {
                broken("delivery " + expected + " of consumer " + spec.name() + " is missing, delivery "
                        + delivery.consumerSequence() + " came");
                return;
            }
            expected++;
            pending = delivery.pending();
            Partition partition = context.partitions().of(delivery.subject());
            lane = partition == null ? null : lanes.get(partition.index());
            if (lane == null || lane.lane().refuses(delivery.sequence(), this)) {
                lane = null;
                stray(delivery);
            } else {
                taken = lane.lane()
                        .take(
                                delivery,
                                this,
                                spec.explicitAck(),
                                context.wallClock().instant());
            }
            if (delivery.deliveryCount() == 1) {
                note(delivery.sequence());
            }
        }
        if (taken && lane != null) {
            lane.kick();
        }
        pullMore();
    }

    /** Without acknowledgements nothing comes again: if the last deliveries are lost, no later one shows the hole. */
    @Override
    public synchronized void idle(long delivered) {
        if (delivered >= expected) {
            broken("deliveries " + expected + " to " + delivered + " of consumer " + spec.name() + " are missing");
        }
    }

    private void count(Delivery delivery) {
        context.counters().messages.increment();
        if (delivery.deliveryCount() > 1) {
            context.counters().redeliveries.increment();
        }
        if (!durable) {
            context.counters().catchUpMessages.increment();
        }
    }

    private void stray(Delivery delivery) {
        context.counters().staleAcksDropped.increment();
        if (spec.explicitAck() && context.kind().acksStrays()) {
            delivery.ack();
        } else if (spec.explicitAck() && ++strays > context.settings().maxAckPending() / 4) {
            broken("it holds " + strays + " messages of partitions that moved away");
        }
    }

    /** Behind the message in its lane: whoever reads the coverage finds it there. */
    private void note(long sequence) {
        activeAt = context.clockwork().nanos();
        noted = Math.max(noted, sequence);
        if (confirmedAtOnce) {
            confirmed = noted;
        }
    }

    /** No message of its filters lies between its coverage and this sequence. */
    synchronized void cover(long sequence) {
        if (broken == null) {
            note(sequence);
        }
    }

    synchronized long noted() {
        return noted;
    }

    /** The consumer is still the one that delivered everything up to here. */
    void confirm(long upTo) {
        confirmed = Math.max(confirmed, upTo);
    }

    boolean isConfirmedAtOnce() {
        return confirmedAtOnce;
    }

    void baseline(ConsumerState state) {
        baseline = state;
    }

    @Override
    public void broken(String reason) {
        if (broken == null && !closed) {
            broken = reason;
            changed.run();
        }
    }

    @Nullable
    String brokenBy() {
        return broken;
    }

    @Override
    public long coverage() {
        return confirmed;
    }

    @Override
    public void taken(int bytes) {
        unsettled.incrementAndGet();
        unsettledBytes.addAndGet(bytes);
        askedBytes.accumulateAndGet(bytes, (asked, came) -> Math.max(0, asked - came));
    }

    @Override
    public void settled(int bytes) {
        unsettled.decrementAndGet();
        unsettledBytes.addAndGet(-bytes);
        batch.finished();
        if (closed) {
            keepShare();
        }
    }

    private void keepShare() {
        share.keep(unsettled::get, unsettledBytes::get);
    }

    @Override
    public boolean acksReplaced() {
        return context.kind() != StreamKind.WORK_QUEUE;
    }

    /** Whether there is too little room for another request: its lanes wait for each other. */
    boolean isFull() {
        return limit - unsettled.get() < leastRequest();
    }

    /** A request for single messages would cost the server more than they do. */
    private int leastRequest() {
        return Math.max(1, limit / 8);
    }

    /** A lane's fair share of the queue, with room for bursts. */
    int shareOfALane() {
        return Math.max(2, 2 * limit / Math.max(1, lanes.size()));
    }

    /** Whether it is time to ask again for the last messages of its filters. */
    boolean mayAskForLast(long interval) {
        long now = context.clockwork().nanos();
        boolean may = now - askedForLastAt >= interval;
        askedForLastAt = may ? now : askedForLastAt;
        return may;
    }

    /** Asks for as much as there is room for, here and in the common bound of all readers. */
    @Override
    public void pullMore() {
        Consumers.Pull open = pull;
        if (open == null || closed || broken != null) {
            return;
        }
        int queued = unsettled.get();
        int size = batch.size(context.clockwork().nanos(), queued, pending);
        if (context.isPaused()) {
            open.want(0, context.settings().batchBytes());
            return;
        }
        int bytes = roomInBytes(open.outstanding());
        limit = bytes > 0 ? share.messages(queued + open.outstanding(), capacity) : queued;
        int room = limit - queued;
        if (bytes <= 0) {
            open.want(0, context.settings().batchBytes());
        } else if (room >= Math.min(size, leastRequest())) {
            askedBytes.set(bytes);
            open.want(Math.min(size, room), bytes);
        }
    }

    /** The bound of the next request in bytes; 0 while the queue holds more than this reader's share. */
    private int roomInBytes(int outstanding) {
        long queued = unsettledBytes.get();
        long room = share.bytes(queued + (outstanding > 0 ? askedBytes.get() : 0)) - queued;
        int most = context.settings().batchBytes();
        return (int) Math.clamp(most > 0 ? Math.min(most, room) : room, 0, Integer.MAX_VALUE);
    }

    /** Nothing is taken in any more; the consumer itself is deleted by its keeper. */
    void close() {
        Consumers.Pull open;
        synchronized (this) {
            closed = true;
            open = pull;
            pull = null;
        }
        keepShare();
        if (open != null) {
            open.close();
        }
    }

    boolean isNearEnd() {
        return pending <= context.settings().maxAckPending() / 8;
    }

    boolean isIdleFor(long nanos) {
        return context.clockwork().nanos() - activeAt > nanos;
    }

    Collection<LaneRunner> lanes() {
        return List.copyOf(lanes.values());
    }

    boolean isEmpty() {
        return lanes.isEmpty();
    }

    /** Whether it feeds several lanes, or is made for several; asked often. */
    boolean isShared() {
        return durable || lanes.size() > 1;
    }

    boolean feeds(LaneRunner lane) {
        return lanes.get(lane.lane().partition().index()) == lane;
    }

    String name() {
        return spec.name();
    }

    ConsumerSpec spec() {
        return spec.withFilters(List.copyOf(filters()));
    }

    Set<String> filters() {
        return new TreeSet<>(filters);
    }

    void filters(List<String> changedTo) {
        filters = Set.copyOf(changedTo);
        filtersChanged = true;
        filtersCheckedAt = context.clockwork().nanos();
    }

    /** Whether its filters were changed, and it is time to compare them with those the server has. */
    boolean mayCheckFilters(long interval) {
        long now = context.clockwork().nanos();
        boolean may = filtersChanged && now - filtersCheckedAt >= interval;
        filtersCheckedAt = may ? now : filtersCheckedAt;
        return may;
    }

    /** Whether it delivers the partitions of its lanes and no others; asked often. */
    boolean hasFiltersOfItsLanes() {
        Set<String> now = filters;
        return now.size() == lanes.size()
                && lanes.values().stream()
                        .allMatch(lane -> now.contains(lane.lane().partition().filter()));
    }

    boolean isDurable() {
        return durable;
    }

    long pending() {
        return pending;
    }

    void refreshPending(ConsumerState now) {
        // An answer may be older than the last delivery.
        pending = Math.min(pending, now.pending());
    }

    int unsettled() {
        return unsettled.get();
    }

    /** Whether the consumer is still the one that delivered so far, and delivers all that its lanes need. */
    boolean isStill(ConsumerState now) {
        ConsumerState before = baseline;
        return before != null
                && before.leader().equals(now.leader())
                && before.created().equals(now.created())
                && lanes.values().stream()
                        .allMatch(lane ->
                                delivers(now.filters(), lane.lane().partition().filter()));
    }

    /** The consumer may have wildcards that stand for several partitions. */
    static boolean delivers(List<String> filters, String partition) {
        return filters.stream().anyMatch(filter -> SubjectFilter.matches(filter, partition));
    }
}
