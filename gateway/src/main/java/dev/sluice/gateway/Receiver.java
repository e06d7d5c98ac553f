package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.Introductions;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes a batch, whatever it came by, to the application and says what became of it. Any number of threads may call; the
 * subscriptions see to their order.
 */
final class Receiver {
    private final HeldSubscriptions subscriptions;
    private final Adopted adopted;
    private final Strangers strangers;
    private final GatewayCounters counters;
    private final PassedPartitions passed;
    private final Fence fence = new Fence();

    Receiver(
            HeldSubscriptions subscriptions,
            Adopted adopted,
            Strangers strangers,
            GatewayCounters counters,
            PassedPartitions passed) {
        this.passed = passed;
        this.subscriptions = subscriptions;
        this.adopted = adopted;
        this.strangers = strangers;
        this.counters = counters;
    }

    BatchOutcome receive(IncomingBatch batch) {
        Optional<String> stale = fence.admit(batch.events());
        if (stale.isEmpty()) {
            // Ahead of the events, whose resume ids then count on it.
            batch.passed().forEach(passed::tell);
        }
        BatchOutcome outcome = stale.isPresent()
                ? new BatchOutcome.Fenced(stale.get())
                : new Batch(batch.introductions()).handle(batch);
        counters.count(outcome);
        return outcome;
    }

    /** One batch on its way through. */
    private final class Batch {
        /** The rest of what they get waits, too: behind an event that comes again. */
        private final Set<String> waiting = new HashSet<>();

        private final Introductions introductions;

        /** Of those it was told, the ones nobody here takes (now), and what becomes of their events. */
        private final Map<String, Handling> notTaken = new HashMap<>();

        private final List<EventOutcome> outcomes = new ArrayList<>();
        private @Nullable String failure;
        private boolean brokeDown = true;

        Batch(Introductions introductions) {
            this.introductions = introductions;
        }

        BatchOutcome handle(IncomingBatch batch) {
            introductions.subscriptions().forEach(this::meet);
            for (Incoming incoming : batch.events()) {
                switch (handle(incoming)) {
                    case Handling.Done done -> {
                        counters.count(done);
                        outcomes.add(done == Handling.Done.UNKNOWN ? EventOutcome.NOT_HELD : EventOutcome.DELIVERED);
                    }
                    case Handling.Rejected rejected -> outcomes.add(new EventOutcome.Rejected(rejected.reason()));
                    case Handling.Failed failed -> failed(failed);
                    case Handling.Waits waits -> outcomes.add(new EventOutcome.RetryLater(waits.reason()));
                    case Handling.Stale overtaken -> {
                        return new BatchOutcome.Fenced(fence.reason(incoming.partition(), incoming.token()));
                    }
                }
            }
            if (failure != null && !batch.perEventRetries()) {
                return new BatchOutcome.RetryLater(failure, Optional.empty(), brokeDown);
            }
            return outcomes.stream().allMatch(EventOutcome.Delivered.class::isInstance)
                    ? BatchOutcome.DELIVERED
                    : new BatchOutcome.PerEvent(outcomes);
        }

        private void meet(Subscription told) {
            if (subscriptions.find(told.id()) == null) {
                Handling taken = welcome(told);
                if (taken != Handling.Done.HANDLED) {
                    notTaken.put(told.id(), taken);
                }
            }
        }

        private Handling welcome(Subscription told) {
            if (subscriptions.isEnding(told.id())) {
                return Handling.Done.UNKNOWN;
            }
            return adopted.hasAdopter() ? adopted.take(told) : strangers.refuse(told.id());
        }

        private void failed(Handling.Failed failed) {
            failure = failed.reason();
            brokeDown &= failed.brokeDown();
            outcomes.add(new EventOutcome.RetryLater(failed.reason(), failed.brokeDown()));
        }

        private Handling handle(Incoming incoming) {
            Priority priority = incoming.standsFor();
            return priority == null ? handleOwn(incoming) : handleForAll(incoming, priority);
        }

        /** Whose name it comes in is one of those it stands for, or has just ended here. */
        private Handling handleForAll(Incoming incoming, Priority priority) {
            boolean known = subscriptions.find(incoming.event().subscriptionId()) != null;
            Handling first = known ? Handling.Done.HANDLED : strangers.handle(incoming.withoutProgress(), fence);
            List<HeldSubscription> concerned = subscriptions.concernedByUnknown(incoming.event(), priority).stream()
                    .filter(each -> !incoming.except().contains(each.id()))
                    .toList();
            if (first instanceof Handling.Failed) {
                concerned.forEach(each -> waiting.add(each.id()));
            }
            return first instanceof Handling.Failed || first instanceof Handling.Stale
                    ? first
                    : tellAll(incoming, priority, first, concerned);
        }

        private Handling handleOwn(Incoming incoming) {
            String id = incoming.event().subscriptionId();
            if (waiting.contains(id)) {
                return waits(id);
            }
            HeldSubscription held = subscriptions.find(id);
            Handling own = held == null ? handleOfOthers(incoming) : held.handle(incoming, fence);
            if (own instanceof Handling.Failed) {
                waiting.add(id);
            }
            return own;
        }

        /** Not registered here: adopted, to be told, or a stranger's. */
        private Handling handleOfOthers(Incoming incoming) {
            String id = incoming.event().subscriptionId();
            Handling refusal = notTaken.get(id);
            if (refusal != null) {
                return refusal;
            }
            HeldSubscription mine = adopted.find(id);
            if (mine != null) {
                return mine.handle(incoming, fence);
            }
            if (!introductions.toldBefore().contains(id)) {
                return strangers.handle(incoming, fence);
            }
            return subscriptions.isEnding(id)
                    ? Handling.Done.UNKNOWN
                    : new Handling.Failed(
                            "this gateway does not know subscription " + id + ": send it again with its definition");
        }

        private static Handling waits(String id) {
            return new Handling.Waits("an earlier event of subscription " + id + " comes again first");
        }

        private Handling tellAll(
                Incoming incoming, Priority priority, Handling first, List<HeldSubscription> concerned) {
            Handling worst = first;
            for (HeldSubscription each : concerned) {
                Handling its =
                        waiting.contains(each.id()) ? waits(each.id()) : each.handleAlso(incoming, priority, fence);
                if (its instanceof Handling.Stale) {
                    return its;
                }
                if (its instanceof Handling.Failed) {
                    waiting.add(each.id());
                }
                worst = worse(worst, its);
            }
            return worst;
        }

        /** An event that one of them only cannot handle now is not to blame, whatever the others say. */
        private static Handling worse(Handling one, Handling other) {
            if (other instanceof Handling.Failed failed) {
                return one instanceof Handling.Waits || one instanceof Handling.Failed before && !before.brokeDown()
                        ? new Handling.Failed(failed.reason())
                        : failed;
            }
            if (other instanceof Handling.Waits) {
                return one instanceof Handling.Failed failed ? new Handling.Failed(failed.reason()) : other;
            }
            return other instanceof Handling.Rejected && one instanceof Handling.Done ? other : one;
        }
    }
}
