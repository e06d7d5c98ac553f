package dev.sluice.route;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.deliver.Reason;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogChangedException;
import dev.sluice.lane.Lane;
import dev.sluice.run.Turns;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a partition's thread does, over and over, in bounded pieces: take what arrived (acknowledgements, changes of gateways),
 * apply registry changes, read on at the tail, read on for groups behind, save. Whatever fails, it tries again.
 */
final class PartitionThread implements Turns.Step {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionThread.class);
    private static final Duration IDLE = Duration.ofMillis(100);

    /** Acknowledgements may wait so long after the last event was offered: at a steady load they come with the next events. */
    private static final Duration DOZE = Duration.ofMillis(10);

    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final StreamerContext context;
    private final OwnedPartition partition;
    private final PartitionParts parts;
    private final ArrivedHandler arrivedHandler;
    private final TailReader tailReader;
    private final CatchUp catchUp;
    private boolean lookForLogs;
    private boolean worked;

    PartitionThread(StreamerContext context, OwnedPartition partition, PartitionParts parts) {
        this.context = context;
        this.partition = partition;
        this.parts = parts;
        this.arrivedHandler = new ArrivedHandler(context, parts);
        this.tailReader = new TailReader(context, partition, parts, this::pump);
        this.catchUp = new CatchUp(
                context,
                partition,
                parts.offering(),
                parts.follower()::follow,
                parts.follower().placement().audience());
    }

    @Override
    public @Nullable Duration run() {
        if (!partition.isOpen()) {
            partition.locked(parts.streams()::closeReaders);
            partition.withdrawAll();
            return null;
        }
        try {
            takeArrived();
            boolean more = partition.isTakingIn() && work();
            pump();
            parts.saver().reportIfDue();
            return more ? goOn() : sleep();
        } catch (FeedUnavailableException e) {
            return tryAgain(e, "its events cannot be read: " + e.getMessage());
        } catch (LogChangedException e) {
            return tryAgain(e, "its log has changed: " + e.getMessage());
        } catch (StoreUnavailableException e) {
            return tryAgain(e, "its position cannot be saved: " + e.getMessage());
        } catch (Throwable bug) {
            LOG.atError()
                    .addKeyValue("partition", partition.partition())
                    .setCause(bug)
                    .log("a step of a partition failed: its events are read again");
            return tryAgain(bug, "its events cannot be handled: " + Reason.of(bug));
        }
    }

    private Duration goOn() {
        worked = true;
        return Duration.ZERO;
    }

    private Duration sleep() {
        boolean dozes = worked && partition.isTakingIn() && nothingWaits();
        worked = false;
        if (!parts.arrived().sleeps(dozes)) {
            return Duration.ZERO;
        }
        Duration sleep = dozes ? DOZE : IDLE;
        for (PartitionStream stream : parts.streams().all()) {
            sleep = stream.catchUpTurns().mostSleep(sleep, context.turns().nanos());
        }
        return sleep;
    }

    /** Whether no group waits for an answer or for room: only cursors move by what is acknowledged. */
    private boolean nothingWaits() {
        return parts.resyncs().isEmpty()
                && parts.streams().all().stream()
                        .noneMatch(stream -> stream.catchUpTurns().waitsForAnswers());
    }

    private Duration tryAgain(Throwable why, String words) {
        if (parts.gauge().trouble().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("partition", partition.partition())
                    .addKeyValue("reason", why.getMessage())
                    .log("a partition cannot be read now and is tried again");
        }
        parts.gauge().failed(words);
        lookForLogs = true;
        boolean unused = parts.arrived().sleeps(false);
        context.counters().restarts.increment();
        partition.locked(parts.streams()::closeReaders);
        pump();
        return AFTER_FAILURE;
    }

    private boolean work() {
        openStreams();
        boolean worked = !partition.locked(() -> context.registry().reading(parts.follower()::follow));
        for (PartitionStream stream : parts.streams().all()) {
            if (stream.rest().isOver(context.turns().nanos())) {
                if (!tailReader.reserve(stream, stream.sent().wanted())) {
                    return false;
                }
                worked |= read(stream);
                pump();
            }
        }
        parts.streams().all().stream()
                .map(each -> each.rest().why())
                .filter(each -> !each.isEmpty())
                .findFirst()
                .ifPresent(parts.gauge()::failed);
        partition.locked(this::giveResyncs);
        return worked;
    }

    /** Reads on at the tail, and for groups behind. Returns whether there may be more. A log that cannot be read holds up no other. */
    private boolean read(PartitionStream stream) {
        try {
            boolean worked = tailReader.turn(stream);
            worked |= partition.locked(() -> partition.mayOffer() && catchUp.turn(stream));
            stream.rest().end();
            return worked;
        } catch (FeedUnavailableException | LogChangedException e) {
            String words = "log " + stream.log() + " cannot be read: " + e.getMessage();
            if (stream.rest().why().isEmpty()) {
                LOG.atWarn()
                        .addKeyValue("partition", partition.partition())
                        .addKeyValue("log", stream.log())
                        .addKeyValue("reason", e.getMessage())
                        .log("a log cannot be read now and is tried again; the partition's other logs go on");
            }
            lookForLogs = true;
            context.counters().restarts.increment();
            stream.rest().begin(words, context.turns().nanos() + AFTER_FAILURE.toNanos());
            partition.locked(stream::closeReaders);
            return false;
        }
    }

    private void openStreams() {
        if (parts.streams().isOpened() && lookForLogs) {
            lookForLogs = false;
            if (parts.streams().closeIfLogsWereAdded()) {
                partition.withdrawAll();
            }
        }
        if (!parts.streams().isOpened()) {
            parts.streams().open();
            parts.arrived().lanesChanged();
            partition.locked(arrivedHandler::turn);
        }
    }

    private void giveResyncs() {
        if (!parts.resyncs().isEmpty() && !parts.streams().all().isEmpty()) {
            PartitionStream first = parts.streams().all().getFirst();
            parts.arrived()
                    .fill(context.registry().reading(() -> parts.resyncs().give(first.log(), first.tail())));
        }
    }

    /** Sends what lanes were given, while no lock is held. */
    private void pump() {
        List<Lane> filled = partition.locked(parts.offering()::takeFilled);
        filled.forEach(Lane::pump);
        parts.arrived().takeFilled().forEach(Lane::pump);
    }

    /** Counts what has arrived until now. Not under the partition's lock. */
    void takeArrived() {
        partition.locked(arrivedHandler::turn);
        if (arrivedHandler.askForDeletes(partition)) {
            partition.locked(arrivedHandler::turn);
        }
    }
}
