package dev.sluice.lane;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of the deliverer with a part of a shipment, and what its answer means: what is done, what becomes a dead letter,
 * and how the rest goes out again. What is done is settled before the shipment forgets it, so that at every moment somebody
 * knows of it. Holds no lock while it calls anybody.
 */
final class Attempt {
    private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);

    private final Lane lane;
    private final LaneSettings settings;
    private final Deliverer way;
    private final long registration;
    private final Shipment shipment;
    private final List<PendingDelivery> part;
    private final OutcomeJudge judge;
    private Introductions introductions = Introductions.NONE;

    /** The lane has the shipment back, and may have sent it again. */
    private volatile boolean landed;

    /** @param registration of the gateway, at which the attempt begins */
    Attempt(Lane lane, LaneSettings settings, Deliverer way, long registration, Shipment shipment) {
        this.lane = lane;
        this.settings = settings;
        this.way = way;
        this.registration = registration;
        this.shipment = shipment;
        this.part = shipment.part();
        this.judge = new OutcomeJudge(settings);
    }

    /** A deliverer does not throw; one that does so must not stop the lane. */
    static CompletionStage<BatchOutcome> call(Deliverer way, DeliveryBatch batch) {
        try {
            return way.deliver(batch).handle((outcome, bug) -> outcome == null ? failure(bug) : outcome);
        } catch (Throwable bug) {
            return CompletableFuture.completedFuture(failure(bug));
        }
    }

    private static BatchOutcome failure(@Nullable Throwable bug) {
        return new BatchOutcome.RetryLater(bug == null ? "the deliverer returned no outcome" : Reason.of(bug));
    }

    long registration() {
        return registration;
    }

    Shipment shipment() {
        return shipment;
    }

    /**
     * Whatever fails on the way out is a failed attempt: what is marked as under way would be so for ever.
     *
     * @param progress how far this gateway has got
     */
    CompletionStage<BatchOutcome> send(Supplier<Lanes.Told> progress) {
        try {
            return call(way, batch(progress.get()));
        } catch (Throwable bug) {
            LOG.atError().addKeyValue("gateway", lane.gatewayId()).setCause(bug).log("a batch cannot be made");
            return CompletableFuture.completedFuture(failure(bug));
        }
    }

    private DeliveryBatch batch(Lanes.Told progress) {
        introductions = lane.definitions().before(part);
        for (PendingDelivery each : part) {
            lane.counters().retries.add(each.attempts > 0 ? 1 : 0);
            each.attempts++;
            each.seq = each.seq == 0 ? each.flow.nextSeq() : each.seq;
        }
        // What nobody counts on any more the marker does not count either: it may be ahead of it.
        return new DeliveryBatch(
                lane.gatewayId(),
                part.stream()
                        .map(each -> each.delivery(each.isWanted() ? progress.marker() : ""))
                        .toList(),
                introductions,
                progress.passed());
    }

    /**
     * Runs what handles an answer. When that fails, for whatever cause, the batch counts as failed and goes out again
     * without what is done: its slots would stay busy for ever otherwise.
     */
    void handle(Runnable answer) {
        try {
            answer.run();
        } catch (Throwable bug) {
            LOG.atError()
                    .addKeyValue("gateway", lane.gatewayId())
                    .addKeyValue("events", part.size())
                    .setCause(bug)
                    .log("a gateway's answer could not be handled: the batch is sent again");
            if (!landed) {
                goOn(Shipment::failedToSettle, this::backoff);
            }
        } finally {
            lane.pump();
        }
    }

    void answered(BatchOutcome outcome) {
        switch (outcome) {
            case BatchOutcome.Delivered all -> {
                lane.answered(part.size(), 0);
                done(part, List.of());
            }
            case BatchOutcome.PerEvent each -> answeredEach(each);
            case BatchOutcome.Refused refused -> refused(refused.reason());
            case BatchOutcome.RetryLater later -> failed(later);
            case BatchOutcome.Fenced fenced -> fenced(fenced.reason());
        }
    }

    private void done(List<PendingDelivery> taken, List<LetterBox.Refused> rejected) {
        lane.definitions().took(introductions, taken);
        lane.settlement().delivered(taken);
        lane.settlement().bury(rejected);
        goOn(from -> from.done(part.size()), Attempt::atOnce);
    }

    private void goOn(Consumer<Shipment> change, ToLongFunction<Shipment> pause) {
        lane.settlement().land(shipment, change, pause);
        landed = true;
    }

    private static long atOnce(Shipment from) {
        return 0;
    }

    private long backoff(Shipment from) {
        return lane.backoff(from.failures());
    }

    private void answeredEach(BatchOutcome.PerEvent answer) {
        if (answer.outcomes().size() != part.size()) {
            failed(new BatchOutcome.RetryLater(
                    "it answered for " + answer.outcomes().size() + " of " + part.size() + " events"));
            return;
        }
        List<PendingDelivery> taken = new ArrayList<>();
        List<LetterBox.Refused> rejected = new ArrayList<>();
        List<EventOutcome> outcomes = new ArrayList<>();
        for (int k = 0; k < part.size(); k++) {
            EventOutcome outcome = judge.judge(part.get(k), answer.outcomes().get(k));
            if (outcome instanceof EventOutcome.Rejected no) {
                rejected.add(new LetterBox.Refused(part.get(k), no.reason()));
            } else if (outcome instanceof EventOutcome.Delivered) {
                taken.add(part.get(k));
            }
            outcomes.add(outcome);
        }
        int later = part.size() - taken.size() - rejected.size();
        lane.answered(taken.size() + rejected.size(), later);
        if (later == 0) {
            done(taken, rejected);
            return;
        }
        lane.definitions().took(introductions, taken);
        lane.settlement().delivered(taken);
        lane.settlement().bury(rejected);
        tellStuck(outcomes);
        goOn(from -> from.later(part, outcomes), this::backoff);
    }

    /** A subscription whose events the gateway keeps wanting later must not hold up the others of its group. */
    private void tellStuck(List<EventOutcome> outcomes) {
        for (int k = 0; k < part.size(); k++) {
            PendingDelivery each = part.get(k);
            if (outcomes.get(k) instanceof EventOutcome.RetryLater && lane.isStuck(each)) {
                each.sender.stuck(each);
            }
        }
    }

    private void refused(String reason) {
        part.forEach(each -> each.failed(reason));
        if (part.size() > 1) {
            goOn(from -> from.halve(part.size()), Attempt::atOnce);
        } else {
            giveUp(reason);
        }
    }

    private void giveUp(String reason) {
        if (settings.deadLetters()) {
            done(List.of(), List.of(new LetterBox.Refused(part.getFirst(), reason)));
        } else {
            goOn(Shipment::failed, this::backoff);
        }
    }

    private void failed(BatchOutcome.RetryLater later) {
        part.forEach(each -> each.failed(later.reason()));
        lane.definitions().failed(introductions);
        if (!lane.isCurrent(registration)) {
            goOn(Shipment::forgetFailures, Attempt::atOnce);
            return;
        }
        boolean suspicious = lane.locked(() -> {
            shipment.failed();
            return later.eventMayBeToBlame()
                    && shipment.isSuspicious(settings.retry().maxAttempts());
        });
        long pause = later.after().map(Duration::toNanos).orElseGet(() -> backoff(shipment));
        if (suspicious) {
            call(way, new DeliveryBatch(lane.gatewayId(), List.of()))
                    .whenComplete((outcome, bug) -> handle(() -> judged(later, answers(outcome), pause)));
        } else {
            goOn(from -> {}, from -> pause);
        }
    }

    static boolean answers(@Nullable BatchOutcome outcome) {
        return outcome instanceof BatchOutcome.Delivered || outcome instanceof BatchOutcome.PerEvent;
    }

    /** The part failed, and now we know whether the gateway answers. */
    private void judged(BatchOutcome.RetryLater later, boolean answers, long pause) {
        boolean guilty = lane.locked(() -> {
            if (!answers) {
                shipment.notProven();
                return false;
            }
            lane.answers();
            return shipment.provenGuilty(part.size()) >= settings.retry().maxAttempts();
        });
        if (guilty) {
            giveUp("it keeps failing although the gateway answers: " + later.reason());
        } else {
            goOn(from -> {}, from -> pause);
        }
    }

    private void fenced(String reason) {
        if (!shipment.isOfOnePartition(part)) {
            goOn(Shipment::splitByPartition, Attempt::atOnce);
            return;
        }
        lane.counters().fenced.increment();
        part.getFirst()
                .sender
                .fenced(
                        lane.gatewayId(),
                        reason,
                        stillOurs -> handle(() -> goOn(Shipment::failed, stillOurs ? this::backoff : Attempt::atOnce)));
    }
}
