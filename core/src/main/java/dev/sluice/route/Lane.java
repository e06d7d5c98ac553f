package dev.sluice.route;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.model.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything on its way to one gateway, of all partitions: a bounded queue per priority class, batches of what they hold,
 * several under way at once, each repeated until nothing of it is left. What does not fit is not taken: whoever offers it
 * remembers a position instead.
 *
 * <p>It has no thread: {@link #pump} sends what may go out now, and whoever adds something or learns an outcome calls it.
 * Its lock is never held while a deliverer, a partition or the dead letters are called.
 */
final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
    private static final Priority[] CLASSES = Priority.values();
    private static final int LOWEST_FIRST = 8;

    /** Whether a class may be given more. */
    enum Room {
        YES,
        /** Only classes above the lowest may. */
        SOFT,
        HARD,
        UNREACHABLE
    }

    private final String gatewayId;
    private final LaneSettings settings;
    private final Turns turns;
    private final StreamerCounters counters;
    private final LetterBox letters;
    private final Supplier<String> progress;
    private final Backoff backoff;
    private final GatewayBreaker breaker;
    private final Map<Priority, ClassQueue> queues = new EnumMap<>(Priority.class);
    private final List<Shipment> shipments = new ArrayList<>();
    private final Set<Owed> buried = new HashSet<>();
    private @Nullable Deliverer deliverer;
    private boolean up;
    private boolean closed;
    private boolean pumping;
    private boolean pumpAgain;
    private boolean probing;
    private int flying;
    private long sent;
    private long timerAt = Long.MAX_VALUE;

    /** @param progress a marker of what this gateway has acknowledged; asked while no lock is held */
    Lane(
            String gatewayId,
            LaneSettings settings,
            Turns turns,
            StreamerCounters counters,
            LetterBox letters,
            Supplier<String> progress) {
        this.gatewayId = gatewayId;
        this.settings = settings;
        this.turns = turns;
        this.counters = counters;
        this.letters = letters;
        this.backoff = new Backoff(settings.retry(), turns);
        this.progress = progress;
        this.breaker = new GatewayBreaker(gatewayId, settings.breaker(), turns);
        for (Priority priority : CLASSES) {
            queues.put(priority, new ClassQueue());
        }
    }

    String gatewayId() {
        return gatewayId;
    }

    /** It is there, perhaps at another address: from now on this is how it is reached. */
    void up(Deliverer way) {
        Deliverer before;
        synchronized (this) {
            before = deliverer;
            deliverer = way;
            up = true;
            breaker.reset();
        }
        if (before != null && before != way) {
            before.close();
        }
        pump();
    }

    /** It is there again, where it was. */
    void back() {
        synchronized (this) {
            up = deliverer != null;
            breaker.reset();
        }
        pump();
    }

    /** Nothing more goes out; what it holds it keeps. */
    synchronized void away() {
        up = false;
    }

    void close() {
        Deliverer way;
        synchronized (this) {
            closed = true;
            up = false;
            way = deliverer;
            deliverer = null;
        }
        if (way != null) {
            way.close();
        }
    }

    synchronized boolean isReachable() {
        return up && !closed && breaker.isClosed();
    }

    /** For what comes from the head. */
    synchronized Room room(Priority priority) {
        if (!isReachable()) {
            return Room.UNREACHABLE;
        }
        int percent = percent(priority);
        if (percent >= settings.queue().hard()) {
            return Room.HARD;
        }
        return priority == Priority.LOW && percent >= settings.queue().soft() ? Room.SOFT : Room.YES;
    }

    /** For what is read again: it leaves room for the head, so that a class that rejoins does not fall behind at once. */
    synchronized boolean hasRoomToCatchUp(Priority priority) {
        return isReachable() && percent(priority) < settings.queue().soft() / 2;
    }

    /** How full the class is, or one that goes before it. */
    private int percent(Priority priority) {
        long most = 0;
        for (Priority each : CLASSES) {
            if (each.compareTo(priority) <= 0) {
                ClassQueue queue = queue(each);
                most = Math.max(most, queue.held() * 100L / settings.queue().size());
                most = Math.max(most, queue.bytes() * 100L / settings.queue().bytes());
            }
        }
        return (int) Math.min(most, 1000);
    }

    private ClassQueue queue(Priority priority) {
        ClassQueue queue = queues.get(priority);
        if (queue == null) {
            throw new IllegalStateException("no queue for " + priority);
        }
        return queue;
    }

    /** All matches of one event and class; {@link #room} was asked before. Returns whether a batch is full. */
    synchronized boolean add(List<Owed> owed) {
        ClassQueue queue = queue(owed.getFirst().priority);
        owed.forEach(queue::add);
        counters.longestQueue.accumulateAndGet(queue.held(), Math::max);
        return queue.ready() >= settings.batch().maxSize();
    }

    /** Takes out what is waiting and meant, and returns it; what is under way is not touched. */
    synchronized List<Owed> remove(Predicate<Owed> which) {
        List<Owed> removed = new ArrayList<>();
        queues.values().forEach(queue -> removed.addAll(queue.remove(which)));
        return removed;
    }

    /** Of those it holds, waiting, under way, or on their way to the dead letters: what they are part of. */
    synchronized Set<Pending> pending(Predicate<Owed> which) {
        Set<Pending> pending = Collections.newSetFromMap(new IdentityHashMap<>());
        held().filter(which).forEach(each -> {
            if (each.pending != null) {
                pending.add(each.pending);
            }
        });
        return pending;
    }

    private Stream<Owed> held() {
        Stream<Owed> waiting = queues.values().stream().flatMap(ClassQueue::waiting);
        Stream<Owed> underWay = shipments.stream().flatMap(each -> each.left().stream());
        return Stream.concat(waiting, Stream.concat(underWay, buried.stream()));
    }

    /** Sends all that may go out now. */
    void pump() {
        synchronized (this) {
            pumpAgain = true;
            if (pumping) {
                return;
            }
            pumping = true;
        }
        boolean more = true;
        while (more) {
            Attempt next = next();
            if (next != null) {
                next.send();
            }
            synchronized (this) {
                more = next != null || pumpAgain;
                pumping = more;
            }
        }
    }

    private synchronized @Nullable Attempt next() {
        pumpAgain = false;
        Deliverer way = deliverer;
        if (way == null || !up || closed) {
            return null;
        }
        if (!breaker.isClosed()) {
            if (!probing && breaker.probes()) {
                probing = true;
                return new Attempt(way, null, List.of());
            }
            if (!probing) {
                wakeIn(breaker.untilProbe());
            }
            return null;
        }
        Shipment shipment = due();
        if (shipment == null) {
            shipment = load();
        }
        if (shipment == null) {
            return null;
        }
        shipment.flying = true;
        flying++;
        return new Attempt(way, shipment, shipment.part());
    }

    private @Nullable Shipment due() {
        long now = turns.nanos();
        long first = Long.MAX_VALUE;
        for (Shipment each : shipments) {
            if (!each.flying && each.dueAt - now <= 0) {
                return each;
            }
            first = each.flying ? first : Math.min(first, each.dueAt - now);
        }
        if (first != Long.MAX_VALUE) {
            wakeIn(Duration.ofNanos(first));
        }
        return null;
    }

    private @Nullable Shipment load() {
        if (flying >= settings.inFlight() || !isTimeForABatch()) {
            return null;
        }
        List<Owed> batch = new ArrayList<>();
        boolean lowestFirst = ++sent % LOWEST_FIRST == 0;
        for (int k = 0; k < CLASSES.length; k++) {
            Priority priority = CLASSES[lowestFirst ? CLASSES.length - 1 - k : k];
            queue(priority)
                    .take(batch, settings.batch().maxSize(), settings.batch().maxBytes());
        }
        if (batch.isEmpty()) {
            return null;
        }
        Shipment shipment = new Shipment(batch);
        shipment.dueAt = turns.nanos();
        shipments.add(shipment);
        return shipment;
    }

    /** At once when nothing is under way; otherwise it is worth waiting a little for more. */
    private boolean isTimeForABatch() {
        int ready = 0;
        long since = Long.MAX_VALUE;
        for (ClassQueue queue : queues.values()) {
            ready += queue.ready();
            since = queue.ready() == 0 ? since : Math.min(since, queue.readySince());
        }
        if (ready == 0) {
            return false;
        }
        if (flying == 0 || ready >= settings.batch().maxSize()) {
            return true;
        }
        long left = settings.batch().maxWait().toNanos() - (turns.nanos() - since);
        if (left > 0) {
            wakeIn(Duration.ofNanos(
                    Math.min(left, settings.batch().flushInterval().toNanos())));
        }
        return left <= 0;
    }

    private void wakeIn(Duration delay) {
        long at = turns.nanos() + Math.max(1, delay.toNanos());
        if (timerAt == Long.MAX_VALUE || at - timerAt < 0) {
            timerAt = at;
            turns.after(Duration.ofNanos(Math.max(1, delay.toNanos())), () -> {
                synchronized (this) {
                    timerAt = timerAt == at ? Long.MAX_VALUE : timerAt;
                }
                pump();
            });
        }
    }

    /** One call of the deliverer; without a shipment it is a probe. */
    private final class Attempt {
        private final Deliverer way;
        private final @Nullable Shipment shipment;
        private final List<Owed> part;
        private long start;

        Attempt(Deliverer way, @Nullable Shipment shipment, List<Owed> part) {
            this.way = way;
            this.shipment = shipment;
            this.part = part;
        }

        void send() {
            start = turns.nanos();
            String marker = part.isEmpty() ? "" : progress.get();
            for (Owed each : part) {
                counters.retries.add(each.attempts > 0 ? 1 : 0);
                each.attempts++;
                each.seq = each.seq == 0 ? each.sender.nextSeq(each.subscriptionId) : each.seq;
            }
            DeliveryBatch batch = new DeliveryBatch(
                    gatewayId, part.stream().map(each -> each.delivery(marker)).toList());
            attempt(batch).whenComplete((outcome, bug) -> answered(outcome));
        }

        /** A deliverer does not throw; one that does so must not stop the lane. */
        private CompletionStage<BatchOutcome> attempt(DeliveryBatch batch) {
            try {
                return way.deliver(batch).exceptionally(bug -> new BatchOutcome.RetryLater(String.valueOf(bug)));
            } catch (RuntimeException bug) {
                return CompletableFuture.completedFuture(new BatchOutcome.RetryLater(String.valueOf(bug)));
            }
        }

        private void answered(BatchOutcome outcome) {
            counters.deliveryNanos.add(turns.nanos() - start);
            if (shipment == null) {
                probed(outcome);
            } else {
                arrived(shipment, outcome);
            }
            pump();
        }

        private void probed(BatchOutcome outcome) {
            synchronized (Lane.this) {
                probing = false;
                count(outcome);
            }
        }

        private void arrived(Shipment from, BatchOutcome outcome) {
            synchronized (Lane.this) {
                count(outcome);
            }
            switch (outcome) {
                case BatchOutcome.Delivered all -> took(from, part, List.of());
                case BatchOutcome.PerEvent each -> tookSome(from, each);
                case BatchOutcome.Refused refused -> refused(from, refused.reason());
                case BatchOutcome.RetryLater later -> failed(from, later);
                case BatchOutcome.Fenced fenced -> fenced(from, fenced.reason());
            }
        }

        private void count(BatchOutcome outcome) {
            if (outcome instanceof BatchOutcome.RetryLater) {
                counters.failures.increment();
                boolean closedBefore = breaker.isClosed();
                breaker.failed();
                if (closedBefore && !breaker.isClosed()) {
                    LOG.atWarn()
                            .addKeyValue("gateway", gatewayId)
                            .addKeyValue("reason", ((BatchOutcome.RetryLater) outcome).reason())
                            .log("a gateway cannot be reached: what it is owed waits as a position in the log");
                }
            } else {
                breaker.succeeded();
            }
        }

        private void took(Shipment from, List<Owed> taken, List<LetterBox.Refused> rejected) {
            delivered(taken);
            bury(rejected);
            synchronized (Lane.this) {
                from.done(part.size());
            }
            land(from, 0);
        }

        private void tookSome(Shipment from, BatchOutcome.PerEvent answer) {
            if (answer.outcomes().size() != part.size()) {
                failed(
                        from,
                        new BatchOutcome.RetryLater(
                                "it answered for " + answer.outcomes().size() + " of " + part.size() + " events"));
                return;
            }
            List<Owed> taken = new ArrayList<>();
            List<LetterBox.Refused> rejected = new ArrayList<>();
            List<EventOutcome> outcomes = new ArrayList<>();
            for (int k = 0; k < part.size(); k++) {
                EventOutcome outcome = judged(part.get(k), answer.outcomes().get(k));
                if (outcome instanceof EventOutcome.Rejected no) {
                    rejected.add(new LetterBox.Refused(part.get(k), no.reason()));
                } else if (outcome instanceof EventOutcome.Delivered) {
                    taken.add(part.get(k));
                }
                outcomes.add(outcome);
            }
            if (taken.size() + rejected.size() == part.size()) {
                took(from, taken, rejected);
                return;
            }
            delivered(taken);
            bury(rejected);
            synchronized (Lane.this) {
                from.later(part, outcomes);
            }
            land(from, backoff.nanosAfter(from.failures()));
        }

        /** What is wanted later, and is to blame for that often enough, is as good as rejected. */
        private EventOutcome judged(Owed owed, EventOutcome said) {
            return switch (said) {
                case EventOutcome.Delivered has -> said;
                case EventOutcome.Rejected no -> {
                    owed.failed(no.reason());
                    yield settings.deadLetters() ? no : new EventOutcome.RetryLater(no.reason());
                }
                case EventOutcome.RetryLater later -> {
                    owed.failed(later.reason());
                    owed.blamed = later.eventMayBeToBlame() ? owed.blamed + 1 : 0;
                    boolean guilty = settings.deadLetters()
                            && owed.blamed >= settings.retry().maxAttempts();
                    yield guilty
                            ? new EventOutcome.Rejected(
                                    "it keeps failing although the gateway answers: " + later.reason())
                            : later;
                }
            };
        }

        private void refused(Shipment from, String reason) {
            part.forEach(each -> each.failed(reason));
            if (part.size() > 1) {
                synchronized (Lane.this) {
                    from.halve(part.size());
                }
                land(from, 0);
            } else {
                giveUp(from, reason);
            }
        }

        private void giveUp(Shipment from, String reason) {
            if (settings.deadLetters()) {
                took(from, List.of(), List.of(new LetterBox.Refused(part.getFirst(), reason)));
            } else {
                synchronized (Lane.this) {
                    from.failed();
                }
                land(from, backoff.nanosAfter(from.failures()));
            }
        }

        private void failed(Shipment from, BatchOutcome.RetryLater later) {
            part.forEach(each -> each.failed(later.reason()));
            boolean suspicious;
            synchronized (Lane.this) {
                from.failed();
                suspicious = later.eventMayBeToBlame()
                        && from.isSuspicious(settings.retry().maxAttempts());
            }
            long pause = later.after().map(Duration::toNanos).orElseGet(() -> backoff.nanosAfter(from.failures()));
            if (!suspicious) {
                land(from, pause);
                return;
            }
            attempt(new DeliveryBatch(gatewayId, List.of()))
                    .whenComplete((outcome, bug) -> judged(
                            from,
                            later,
                            outcome instanceof BatchOutcome.Delivered || outcome instanceof BatchOutcome.PerEvent,
                            pause));
        }

        /** The part failed, and now we know whether the gateway answers. */
        private void judged(Shipment from, BatchOutcome.RetryLater later, boolean answers, long pause) {
            boolean guilty = false;
            synchronized (Lane.this) {
                if (answers) {
                    breaker.succeeded();
                    guilty = from.provenGuilty(part.size()) >= settings.retry().maxAttempts();
                } else {
                    from.notProven();
                }
            }
            if (guilty) {
                giveUp(from, "it keeps failing although the gateway answers: " + later.reason());
            } else {
                land(from, pause);
            }
            pump();
        }

        private void fenced(Shipment from, String reason) {
            if (!from.isOfOnePartition(part)) {
                synchronized (Lane.this) {
                    from.splitByPartition();
                }
                land(from, 0);
                return;
            }
            counters.fenced.increment();
            part.getFirst().sender.fenced(gatewayId, reason, stillOurs -> {
                synchronized (Lane.this) {
                    from.failed();
                }
                land(from, stillOurs ? backoff.nanosAfter(from.failures()) : 0);
                pump();
            });
        }
    }

    /** Back from an attempt: it goes out again after the pause, or is over. */
    private void land(Shipment shipment, long pause) {
        List<Owed> unwanted;
        synchronized (this) {
            unwanted = shipment.withoutUnwanted();
            flying -= shipment.flying ? 1 : 0;
            shipment.flying = false;
            shipment.dueAt = turns.nanos() + pause;
            shipment.freeSlots().forEach((priority, slots) -> queue(priority).release(slots));
            if (shipment.isEmpty()) {
                shipments.remove(shipment);
            }
        }
        settle(unwanted);
    }

    private void delivered(List<Owed> taken) {
        counters.batches.add(taken.isEmpty() ? 0 : 1);
        counters.delivered.add(taken.size());
        for (Owed each : taken) {
            if (each.letterId != null) {
                letters.delivered(each.letterId);
            }
        }
        settle(taken);
    }

    /** Frees what was theirs, here and in their partitions. */
    private void settle(List<Owed> done) {
        if (done.isEmpty()) {
            return;
        }
        forget(done);
        Map<Sender, List<Owed>> bySender = new LinkedHashMap<>();
        for (Owed each : done) {
            bySender.computeIfAbsent(each.sender, none -> new ArrayList<>()).add(each);
        }
        bySender.forEach(Sender::settled);
    }

    private synchronized void forget(List<Owed> done) {
        done.forEach(each -> queue(each.priority).forget(each));
    }

    private void bury(List<LetterBox.Refused> rejected) {
        if (rejected.isEmpty()) {
            return;
        }
        for (LetterBox.Refused each : rejected) {
            LOG.atWarn()
                    .addKeyValue("gateway", gatewayId)
                    .addKeyValue("subscription", each.owed().subscriptionId)
                    .addKeyValue("event", each.owed().event.event().id())
                    .addKeyValue("reason", each.reason())
                    .log("a gateway refuses an event: it becomes a dead letter");
        }
        List<Owed> owed = rejected.stream().map(LetterBox.Refused::owed).toList();
        synchronized (this) {
            buried.addAll(owed);
        }
        letters.put(gatewayId, rejected, () -> {
            synchronized (this) {
                owed.forEach(buried::remove);
            }
            settle(owed);
            pump();
        });
    }

    /** Whether it holds something of this partition. */
    synchronized boolean holds(Sender sender) {
        return held().anyMatch(each -> each.sender == sender);
    }

    synchronized StreamerStatus.OfLane status(List<StreamerStatus.Behind> behind) {
        Map<Priority, Integer> queued = new EnumMap<>(Priority.class);
        queues.forEach((priority, queue) -> queued.put(priority, queue.held()));
        return new StreamerStatus.OfLane(gatewayId, up ? "up" : "away", breaker.state(), queued, flying, behind);
    }
}
