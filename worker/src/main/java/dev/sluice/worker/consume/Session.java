package dev.sluice.worker.consume;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Clockwork;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.LaneStatus.Waiting;
import dev.sluice.worker.MessageHandler;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerSettings.Order;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.lane.DeadLetterSink;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.stream.ConsumerSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An incarnation of a worker: the partitions it owns, their consumers and cursors. */
public final class Session {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    /** The parts that a session gets from its worker. */
    public record Plan(
            WorkerContext context,
            String prefix,
            MessageHandler handler,
            DeadLetterSink deadLetters,
            CursorStore cursors,
            Cursor start,
            OtherWorkers others) {}

    /** The other workers of the group, as far as a session needs them. */
    public interface OtherWorkers {
        /** Whether the next owner of a partition reads it by now. */
        boolean hasSuccessor(int partition, FencingToken before);

        /** On a work queue the server refused a consumer: one of a dead worker may still have its subjects. */
        void subjectsTaken();
    }

    private final Plan plan;
    private final WorkerContext context;
    private final String worker;
    private final String incarnation;
    private final ConsumerSpecs specs;
    private final Feeding feeding;
    private final CursorKeeper cursors;
    private final LaneRunner.Shop shop;
    private final Clockwork.Signal feedingWake;
    private final Clockwork.Signal cursorsWake;
    private final Clockwork.Signal deletesWake;
    private final Map<Integer, LaneRunner> lanes = new ConcurrentHashMap<>();
    private final Map<Integer, FencingToken> left = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile @Nullable WorkerLoop feedingLoop;
    private @Nullable WorkerLoop cursorsLoop;
    private @Nullable WorkerLoop deletesLoop;

    public Session(Plan plan, String worker, String incarnation) {
        this.plan = plan;
        this.context = plan.context();
        this.worker = worker;
        this.incarnation = incarnation;
        this.feedingWake = context.clockwork().signal();
        this.cursorsWake = context.clockwork().signal();
        this.deletesWake = context.clockwork().signal();
        this.specs = new ConsumerSpecs(plan.prefix(), worker, incarnation, context.kind(), context.settings());
        this.feeding = new Feeding(context, specs, others(), feedingWake, deletesWake);
        this.cursors = new CursorKeeper(context, feeding, plan.cursors().writer(worker, incarnation));
        this.shop = new LaneRunner.Shop(
                plan.handler(),
                plan.deadLetters(),
                context.settings(),
                context.counters(),
                context.listener(),
                context.clockwork(),
                context.wallClock(),
                worker,
                context::isPaused,
                cursors);
    }

    /** Starts the threads that are not started yet: all of them, unless an earlier call threw. */
    public synchronized void start() {
        feedingLoop = started(feedingLoop, "feeding", feedingWake, feeding::step);
        cursorsLoop = started(cursorsLoop, "cursors", cursorsWake, cursors::step);
        deletesLoop = started(deletesLoop, "deletes", deletesWake, feeding::deleteRetired);
    }

    private WorkerLoop started(
            @Nullable WorkerLoop before, String name, Clockwork.Signal wake, Supplier<Duration> step) {
        return before != null
                ? before
                : context.loops().loop("worker-" + name + "-" + worker, wake, () -> closed, step);
    }

    private Readers.Others others() {
        return new Readers.Others() {
            @Override
            public boolean haveConsumerOf(int partition) {
                FencingToken before = left.get(partition);
                try {
                    return before == null || plan.others().hasSuccessor(partition, before);
                } catch (StoreUnavailableException unknown) {
                    return false;
                }
            }

            @Override
            public void subjectsTaken() {
                plan.others().subjectsTaken();
            }
        };
    }

    public boolean isOf(Claim claim) {
        return incarnation.equals(claim.incarnation());
    }

    public void take(Claim claim, Partition partition) {
        Cursor start = claim.position().isEmpty() ? plan.start() : Cursor.parse(claim.position());
        boolean ordered = context.settings().order() == Order.PARTITION;
        Lane lane = new Lane(partition, claim.token(), start, ordered);
        if (claim.position().isEmpty()) {
            lane.markFresh();
        }
        LaneRunner runner = new LaneRunner(lane, claim::isHeld, shop);
        lanes.put(partition.index(), runner);
        // The directory may have changed while it was looked up.
        context.partitions().at(partition.index()).ifPresent(lane::partition);
        cursors.add(runner);
        feeding.add(runner);
        cursorsWake.raise();
        if (!claim.isHeld()) {
            lose(claim);
        }
    }

    /** Hands a partition over: finishes what runs, and reports the cursor the next owner starts from. */
    public void handOver(Claim claim) {
        LaneRunner runner = lanes.get(claim.partition());
        if (runner == null || !runner.lane().token().equals(claim.token())) {
            return;
        }
        long start = context.clockwork().nanos();
        try {
            drain(claim, runner);
        } finally {
            forget(runner);
        }
        awaitReleased(runner.lane().partition().filter(), start);
        context.counters().handoffs.increment();
        context.listener().handoffTook(Duration.ofNanos(context.clockwork().nanos() - start));
    }

    private void drain(Claim claim, LaneRunner runner) {
        runner.stop();
        claim.report(runner.lane().cursor().toText());
        Duration patience = context.settings().handoffTimeout().multipliedBy(7).dividedBy(10);
        if (!runner.awaitIdle(patience)) {
            LOG.warn(
                    "Partition {}: its handler still runs after {} ms and is interrupted: the partition moves",
                    runner.lane().partition().id(),
                    patience.toMillis());
            runner.interrupt();
        } else {
            runner.lane().clearDeaths();
        }
        claim.report(runner.lane().cursor().toText());
    }

    /** On a work queue the next owner's consumer is refused while one of ours has the subject. */
    private void awaitReleased(String filter, long start) {
        long until = start
                + context.settings()
                        .handoffTimeout()
                        .multipliedBy(9)
                        .dividedBy(10)
                        .toNanos();
        Clockwork.Signal tick = context.clockwork().signal();
        while (context.kind() == StreamKind.WORK_QUEUE
                && !feeding.isReleased(filter)
                && context.clockwork().nanos() - until < 0
                && !closed) {
            tick.await(Duration.ofMillis(5));
        }
    }

    /** The claim is another worker's: what runs is interrupted, and nothing is saved. */
    public void lose(Claim claim) {
        LaneRunner runner = lanes.get(claim.partition());
        if (runner != null && runner.lane().token().equals(claim.token())) {
            runner.interrupt();
            forget(runner);
        }
    }

    private void forget(LaneRunner runner) {
        left.put(runner.lane().partition().index(), runner.lane().token());
        lanes.remove(runner.lane().partition().index(), runner);
        cursors.remove(runner);
        feeding.remove(runner);
    }

    /** The partitions' entries in the directory have changed. */
    public void repartitioned() {
        for (LaneRunner runner : lanes.values()) {
            context.partitions()
                    .at(runner.lane().partition().index())
                    .ifPresent(partition -> runner.lane().partition(partition));
        }
        feedingWake.raise();
    }

    public void connectionIsBack() {
        feeding.breakAll("the connection to NATS was lost and is back");
        feedingWake.raise();
    }

    /** Pausing has ended, or something else that kept handlers from running. */
    public void kick() {
        lanes.values().forEach(LaneRunner::kick);
        feedingWake.raise();
    }

    /** Bounded: a call without an answer is interrupted, and what it makes is deleted by the leader. */
    private void awaitFeedingEnded() {
        Clockwork.Signal tick = context.clockwork().signal();
        WorkerLoop loop = feedingLoop;
        for (int i = 0; i < 100 && loop != null && !loop.isEnded(); i++) {
            tick.await(Duration.ofMillis(5));
        }
    }

    public String worker() {
        return worker;
    }

    public String incarnation() {
        return incarnation;
    }

    /** The owned partitions. */
    public List<Lane> lanes() {
        return lanes.values().stream().map(LaneRunner::lane).toList();
    }

    /** A consumer of this life whose deliveries are only counted. */
    public ConsumerSpec shadow(List<String> filters, long startSequence) {
        return specs.shadow(filters, startSequence);
    }

    public Feeding feeding() {
        return feeding;
    }

    public int queued() {
        return lanes.values().stream().mapToInt(runner -> runner.lane().size()).sum();
    }

    public List<LaneStatus> statuses() {
        List<LaneStatus> statuses = new ArrayList<>();
        for (LaneRunner runner : lanes.values()) {
            statuses.add(status(runner));
        }
        statuses.sort(Comparator.comparingInt(LaneStatus::index));
        return statuses;
    }

    private LaneStatus status(LaneRunner runner) {
        Lane lane = runner.lane();
        return new LaneStatus(
                lane.partition().id(),
                lane.partition().index(),
                lane.token(),
                feeding.sourceOf(lane),
                lane.low(),
                lane.size(),
                feeding.lagOf(lane) + lane.size(),
                lane.attempts(),
                waiting(runner),
                runner.lastError());
    }

    private Waiting waiting(LaneRunner runner) {
        if (feeding.isStoppedByGap(runner.lane())) {
            return Waiting.GAP;
        }
        Waiting own = runner.waiting();
        return own == Waiting.NO && context.isPaused() ? Waiting.PAUSED : own;
    }

    /** Ends this life's threads and consumers; its claims are released or lost by now. */
    public void close() {
        closed = true;
        WorkerLoop loop = feedingLoop;
        Thread busy = loop == null ? null : loop.thread();
        if (busy != null) {
            context.clockwork().interrupt(busy);
        }
        feedingWake.raise();
        cursorsWake.raise();
        deletesWake.raise();
        lanes.values().forEach(runner -> {
            runner.interrupt();
            forget(runner);
        });
        awaitFeedingEnded();
        try {
            feeding.close();
        } catch (RuntimeException e) {
            LOG.debug("Worker {}: its consumers are left to the leader", worker, e);
        }
    }
}
