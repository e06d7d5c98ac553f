package dev.sluice.route;

import dev.sluice.deliver.Reason;
import dev.sluice.match.Matcher;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the head of one partition, in order, and hands each event in. It never waits for a gateway: only for events. When
 * it cannot read it tries again from where it was.
 */
final class PartitionLoop implements Turns.Step {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLoop.class);
    private static final int MOST = 500;
    private static final Duration WAIT = Duration.ofMillis(100);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final Partition partition;
    private final Surroundings around;
    private final Gauge gauge;
    private final Matcher matcher;
    private final List<Match> matches = new ArrayList<>();
    private EventFeed.@Nullable Reader reader;
    private boolean begun;

    /** Nobody worked on it before, and where it begins is not saved yet. */
    private volatile boolean unplaced;

    private @Nullable FeedEvent current;

    PartitionLoop(Partition partition, Surroundings around, Gauge gauge) {
        this.partition = partition;
        this.around = around;
        this.gauge = gauge;
        this.matcher = around.known().matcher();
        this.unplaced = partition.readOn() == null;
    }

    /** Whether it is sure where the partition begins, also after a crash: who registers before may miss something. */
    boolean isPlaced() {
        return !unplaced;
    }

    @Override
    public @Nullable Duration run() {
        if (!partition.isTakingIn()) {
            closeReader();
            return null;
        }
        try {
            read();
            return Duration.ZERO;
        } catch (FeedOutOfRangeException e) {
            closeReader();
            lose(e);
            return Duration.ZERO;
        } catch (FeedUnavailableException e) {
            return tryAgain(e, "its events cannot be read: " + e.getMessage());
        } catch (Throwable bug) {
            // Also an Error: the reader is past the whole batch, the partition only past what it took of it.
            LOG.atError()
                    .addKeyValue("partition", partition.partition())
                    .setCause(bug)
                    .log("an event could not be handed to the lanes and is read again");
            return tryAgain(bug, "its events cannot be handled: " + Reason.of(bug));
        }
    }

    private Duration tryAgain(Throwable why, String words) {
        if (gauge.trouble().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("partition", partition.partition())
                    .addKeyValue("reason", why.getMessage())
                    .log("a partition cannot be read now and is tried again");
        }
        gauge.failed(words);
        around.counters().restarts.increment();
        closeReader();
        return AFTER_FAILURE;
    }

    private void read() {
        EventFeed.Reader from = reader;
        if (from == null) {
            from = open("streamer", partition.readOn());
            reader = from;
        }
        EventFeed.Batch batch = from.read(MOST, WAIT);
        if (!begun) {
            begin(batch);
        }
        long newest = 0;
        for (FeedEvent event : batch.events()) {
            current = event;
            long start = around.turns().nanos();
            partition.take(event.event(), this::match);
            around.counters().routingTime.accept(around.turns().nanos() - start);
            newest = event.event().timestamp();
            partition.takeLanesToPump(false).forEach(Lane::pump);
        }
        partition.passed(batch.passed());
        partition.takeLanesToPump(true).forEach(Lane::pump);
        gauge.read(
                batch.events().size(),
                newest,
                batch.sourceTime(),
                around.turns().nanos());
        partition.report().ifDue();
    }

    /**
     * Where a new partition begins is saved before anything else: after a crash it would begin later otherwise. What another
     * owner had can have been sent up to the log's head of now.
     */
    private void begin(EventFeed.Batch first) {
        partition.begin(first);
        if (unplaced) {
            unplaced = !partition.report().save();
        } else {
            partition.headAtClaim(now());
        }
        begun = true;
    }

    private ProgressMarker now() {
        try (EventFeed.Reader end = open("head", null)) {
            return end.read(1, Duration.ZERO).passed();
        }
    }

    private EventFeed.Reader open(String label, @Nullable ProgressMarker after) {
        return around.feed()
                .open(
                        label + "-" + partition.partition(),
                        after,
                        partition.partition(),
                        around.settings().partitions());
    }

    private List<Match> match(Predicate<String> each) {
        matches.clear();
        FeedEvent event = current;
        if (event != null) {
            collect(matcher, event, each, matches, reason -> unmatchable(event, reason));
        }
        return matches;
    }

    /**
     * Collects an event's matches. A document that is not BSON matches no subscription, now or later: it is passed over.
     *
     * @param each the gateways that no subscription may stand for
     * @param unmatchable gets the reason when the document cannot be read
     */
    static void collect(
            Matcher matcher,
            FeedEvent event,
            Predicate<String> each,
            List<Match> matches,
            Consumer<InvalidInputException> unmatchable) {
        try {
            matcher.match(
                    event.event(),
                    event.before(),
                    each,
                    (subscription, kind) -> matches.add(new Match(subscription, kind)));
        } catch (InvalidInputException e) {
            matches.clear();
            unmatchable.accept(e);
        }
    }

    /** Every event passes the head once, so only the head counts: a lane that catches up meets the same event again. */
    private void unmatchable(FeedEvent event, InvalidInputException reason) {
        around.counters().unmatchable.increment();
        LOG.atError()
                .addKeyValue("event", event.event().id())
                .addKeyValue("backend", event.event().backend())
                .addKeyValue("reason", reason.getMessage())
                .log("an event's document is not BSON: it is delivered to no subscription");
    }

    /** Everybody with a subscription is told; which classes that are only the registry knows. */
    private void lose(FeedOutOfRangeException why) {
        LOG.atError()
                .addKeyValue("partition", partition.partition())
                .addKeyValue("reason", why.getMessage())
                .log("the partition's position is older than what is kept: every subscription is told to resync");
        Set<SavedPosition.LaneKey> concerned = new LinkedHashSet<>();
        for (String gateway : around.known().gatewayIds()) {
            for (Subscription each : around.known().ofGateway(gateway)) {
                if (around.router().isBroadcast(each)) {
                    around.router()
                            .audience(each)
                            .forEach(owner -> concerned.add(new SavedPosition.LaneKey(owner, Priority.LOW)));
                } else {
                    concerned.add(SavedPosition.LaneKey.of(each));
                }
            }
        }
        partition.headLost(concerned, why.oldest());
    }

    private void closeReader() {
        EventFeed.Reader open = reader;
        reader = null;
        if (open != null) {
            open.close();
        }
    }
}
