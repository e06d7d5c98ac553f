package dev.sluice.outbox.relay;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Backlog;
import dev.sluice.outbox.table.Burial;
import dev.sluice.outbox.table.FencedException;
import dev.sluice.outbox.table.IdFloor;
import dev.sluice.outbox.table.OutboxDatabaseException;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Row;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Fetch, send, finish, for one partition this relay owns. A row leaves the table only after it was acknowledged, or stored
 * as dead; rows of one key are sent from the first on, in the order of their ids. So nothing is lost, and first occurrences
 * are in order, however often and wherever this is interrupted.
 *
 * <p>It has no thread and no clock: {@link #step} does a bounded piece of work (as long as the sink takes) and says how long
 * to wait. One thread steps; {@link #abandon} may come from any.
 */
final class PartitionRelay implements AutoCloseable {
    private static final Duration SOON = Duration.ofMillis(200);

    private final OutboxTable table;
    private final Sink sink;
    private final String outbox;
    private final Ownership owner;
    private final RelaySettings settings;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Supplier<Duration> longestPause;
    private final PartitionJournal journal;
    private final ParkedKeys parked;
    private final BlockedTopics blocked;
    private final IdFloor floor = new IdFloor();
    private final Polling polling = new Polling();
    private final Backoff backoff = new Backoff(new Random());
    private final BatchSize batchSize;
    private volatile Sink.@Nullable Channel channel;
    private volatile boolean abandoned;
    private @Nullable Settlement unsettled;

    PartitionRelay(
            OutboxTable table,
            Sink sink,
            String outbox,
            Ownership owner,
            RelaySettings settings,
            RelayCounters counters,
            RelayTime time,
            Supplier<Duration> longestPause) {
        this.table = table;
        this.sink = sink;
        this.outbox = outbox;
        this.owner = owner;
        this.settings = settings;
        this.clock = time.wall();
        this.nanos = time.elapsed();
        this.longestPause = longestPause;
        this.parked = new ParkedKeys(nanos);
        this.blocked = new BlockedTopics(settings.retries(), nanos);
        this.journal = new PartitionJournal(owner, counters, nanos);
        this.batchSize = new BatchSize(settings.batches());
    }

    /** @return how long to wait before the next step, unless woken */
    Duration step() throws InterruptedException {
        return attempt(() -> {
            Sink.Channel open = channel;
            return open == null ? open() : relay(open);
        });
    }

    /** Writes down what became of the last batch, and begins nothing. */
    Duration settle() throws InterruptedException {
        return attempt(() -> {
            Sink.Channel open = channel;
            if (open != null) {
                settleLast(open);
            }
            return Duration.ZERO;
        });
    }

    boolean isSettled() {
        return unsettled == null || isOver();
    }

    /** A piece of work that may fail by the sink or by the database. */
    private interface Work {
        Duration run() throws SinkUnavailableException, InterruptedException;
    }

    private Duration attempt(Work work) throws InterruptedException {
        if (isOver()) {
            return SOON;
        }
        try {
            return work.run();
        } catch (SinkUnavailableException failed) {
            if (!abandoned) {
                journal.sinkFailed(failed);
            }
            closeChannel();
            if (failed.isInUse()) {
                return backoff.first();
            }
        } catch (FencedException fenced) {
            fenced(String.valueOf(fenced.getMessage()));
        } catch (OutboxDatabaseException | StoreUnavailableException failed) {
            floor.drop();
            journal.databaseFailed(failed);
        }
        return backoff.failed();
    }

    private boolean isOver() {
        return abandoned || !owner.isHeld();
    }

    private Duration open() throws SinkUnavailableException, InterruptedException {
        Map<Integer, Long> batches = table.claim(owner.partition(), owner.token());
        // Each time: the tables may have been made anew.
        String identity = table.identity();
        Sink.Channel opened = opened(new Sink.Opening(
                outbox,
                identity,
                owner.partition(),
                owner.slice().claims(),
                owner.token(),
                batches,
                owner.wasOpened(identity)));
        try {
            if (begin(opened, identity)) {
                return Duration.ZERO;
            }
            opened.close();
            return SOON;
        } catch (RuntimeException failed) {
            opened.close();
            throw failed;
        }
    }

    private Sink.Channel opened(Sink.Opening opening) throws SinkUnavailableException, InterruptedException {
        try {
            return sink.open(opening);
        } catch (RuntimeException | Error bug) {
            throw new SinkUnavailableException("the sink failed while it was being opened: " + bug, false, bug);
        }
    }

    /** The epoch is checked once more: whoever claimed after us, but before the sink was opened, has the partition. */
    private boolean begin(Sink.Channel opened, String identity) {
        if (sink.remembers() && opened.batch().isEmpty()) {
            throw new IllegalStateException("a sink that remembers says which batch: " + sink);
        }
        if (!table.finish(owner.partition(), owner.token(), opened.alreadySent(), opened.batch())) {
            fenced("the sink was opened too late");
            return false;
        }
        opened.removed();
        if (sink.remembers() && !owner.wasOpened(identity) && !owner.opened(identity)) {
            return false;
        }
        parked.load(table.parked(owner.slice()));
        channel = opened;
        if (abandoned) {
            opened.close();
        }
        journal.opened();
        return true;
    }

    private Duration relay(Sink.Channel open) throws SinkUnavailableException, InterruptedException {
        if (!settleLast(open)) {
            return Duration.ZERO;
        }
        long start = nanos.getAsLong();
        int asked = batchSize.rows();
        List<Row> fetched = table.fetch(owner.slice(), asked, parked.leftOut(blocked.waiting()), floor);
        if (!fetched.isEmpty()) {
            send(parked.onTrial(blocked.onTrial(fetched)), open);
            batchSize.took(fetched.size(), Duration.ofNanos(nanos.getAsLong() - start));
        } else {
            journal.recovered();
        }
        // Not after a mere opening: a sink that opens and then takes nothing would be tried without a pause.
        backoff.succeeded();
        journal.waits(batchSize.rows(), parked.size(), blocked.all());
        Duration pause = polling.after(fetched.size(), asked, longestPause.get());
        Duration retry = Polling.shorter(
                parked.untilNext().orElse(pause), blocked.untilNext().orElse(pause));
        return Polling.shorter(pause, retry);
    }

    private void send(List<Row> rows, Sink.Channel open) throws SinkUnavailableException, InterruptedException {
        if (isOver()) {
            return;
        }
        journal.sending();
        List<SendOutcome> outcomes = sent(rows, open);
        Settlement settlement = Settlement.of(rows, outcomes, parked, settings.retries());
        // Before anything else may fail: what was sent must be written down.
        unsettled = settlement;
        journal.acknowledged(settlement.sent(), clock.instant());
        settleLast(open);
    }

    /** Nobody knows in which state a sink is that threw something else: it is opened anew, as if it were away. */
    private static List<SendOutcome> sent(List<Row> rows, Sink.Channel open)
            throws SinkUnavailableException, InterruptedException {
        try {
            return open.send(rows);
        } catch (RuntimeException | Error bug) {
            throw new SinkUnavailableException("the sink failed while sending: " + bug, false, bug);
        }
    }

    /** Everything is written under the token. When the database fails in between it is all written once more: it is the same. */
    private boolean settleLast(Sink.Channel open) throws InterruptedException {
        Settlement last = unsettled;
        if (last == null) {
            return true;
        }
        if (isOver()) {
            return false;
        }
        if (!write(last, open)) {
            fenced("its epoch in the table is higher");
            return false;
        }
        unsettled = null;
        open.removed();
        journal.settled(last);
        remember(last);
        for (Burial dead : last.buried()) {
            open.buried(dead.row(), dead.reason(), dead.attempts());
        }
        return true;
    }

    /** @return false when another relay owns the partition */
    private boolean write(Settlement last, Sink.Channel open) {
        int partition = owner.partition();
        FencingToken token = owner.token();
        return table.finish(partition, token, last.sentIds(), open.batch())
                && (last.unparked().isEmpty() || table.unpark(partition, token, last.unparked()))
                && (last.parked().isEmpty() || table.park(partition, token, last.parked()))
                && (last.buried().isEmpty() || table.bury(partition, token, last.buried(), floor));
    }

    private void remember(Settlement last) {
        last.unparked().forEach(parked::remove);
        last.parked().forEach(parked::add);
        last.buried().forEach(dead -> parked.remove(dead.row().key()));
        last.answered().stream().filter(blocked::free).forEach(journal::freed);
        last.blocked().forEach((topic, reason) -> {
            if (blocked.block(topic, reason)) {
                journal.blocked(topic, reason);
            }
        });
    }

    /** Tried again as long as the group says that the claim is ours: it may know better than a table we were late at. */
    private void fenced(String why) {
        journal.fenced(why);
        closeChannel();
    }

    private void closeChannel() {
        Sink.Channel last = channel;
        channel = null;
        unsettled = null;
        if (last != null) {
            last.close();
        }
    }

    PartitionJournal journal() {
        return journal;
    }

    /** All pending rows were counted; may come from any thread. */
    void counted(Backlog backlog) {
        backlog.lowestId(owner.slice()).ifPresent(floor::seen);
    }

    /** The claim is gone: nothing more is sent or written, a send that waits ends. */
    void abandon() {
        abandoned = true;
        Sink.Channel last = channel;
        if (last != null) {
            last.close();
        }
    }

    @Override
    public void close() {
        closeChannel();
        journal.closed();
    }
}
