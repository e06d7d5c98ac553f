package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.model.Priority;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes a batch, whatever it came by, to the application and says what became of it. Any number of threads may call; the
 * subscriptions see to their order.
 */
final class Receiver {
    private final HeldSubscriptions subscriptions;
    private final Strangers strangers;
    private final GatewayCounters counters;
    private final Fence fence = new Fence();

    Receiver(HeldSubscriptions subscriptions, Strangers strangers, GatewayCounters counters) {
        this.subscriptions = subscriptions;
        this.strangers = strangers;
        this.counters = counters;
    }

    BatchOutcome receive(List<Incoming> batch) {
        Optional<String> stale = fence.admit(batch);
        BatchOutcome outcome = stale.isPresent() ? new BatchOutcome.Fenced(stale.get()) : new Batch().handle(batch);
        counters.count(outcome);
        return outcome;
    }

    /** One batch on its way through. */
    private final class Batch {
        /** The rest of what they get waits, too: behind an event that comes again. */
        private final Set<String> waiting = new HashSet<>();

        private final List<EventOutcome> outcomes = new ArrayList<>();
        private boolean rejects;
        private @Nullable String failure;
        private boolean brokeDown = true;

        BatchOutcome handle(List<Incoming> batch) {
            for (Incoming incoming : batch) {
                switch (handle(incoming)) {
                    case Handling.Done done -> {
                        counters.count(done);
                        outcomes.add(EventOutcome.DELIVERED);
                    }
                    case Handling.Rejected rejected -> {
                        rejects = true;
                        outcomes.add(new EventOutcome.Rejected(rejected.reason()));
                    }
                    case Handling.Failed failed -> failed(failed);
                    case Handling.Stale overtaken -> {
                        return new BatchOutcome.Fenced(fence.reason(incoming.partition(), incoming.token()));
                    }
                }
            }
            if (failure != null) {
                return new BatchOutcome.RetryLater(failure, Optional.empty(), brokeDown);
            }
            return rejects ? new BatchOutcome.PerEvent(outcomes) : BatchOutcome.DELIVERED;
        }

        private void failed(Handling.Failed failed) {
            failure = failed.reason();
            brokeDown &= failed.brokeDown();
        }

        private Handling handle(Incoming incoming) {
            Priority priority = incoming.standsFor();
            return priority == null ? handleOwn(incoming) : handleForAll(incoming, priority);
        }

        /** Whose name it comes in is one of those it stands for, or has just ended here. */
        private Handling handleForAll(Incoming incoming, Priority priority) {
            boolean known = subscriptions.find(incoming.event().subscriptionId()) != null;
            Handling first = known ? Handling.Done.HANDLED : strangers.handle(incoming, fence);
            List<HeldSubscription> concerned = subscriptions.concernedByUnknown(incoming.event(), priority);
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
                return again();
            }
            HeldSubscription held = subscriptions.find(id);
            Handling own = held == null ? strangers.handle(incoming, fence) : held.handle(incoming, fence);
            if (own instanceof Handling.Failed) {
                waiting.add(id);
            }
            return own;
        }

        private Handling again() {
            return new Handling.Failed(String.valueOf(failure), brokeDown);
        }

        private Handling tellAll(
                Incoming incoming, Priority priority, Handling first, List<HeldSubscription> concerned) {
            Handling worst = first;
            for (HeldSubscription each : concerned) {
                Handling its = waiting.contains(each.id()) ? again() : each.handleAlso(incoming, priority, fence);
                if (its instanceof Handling.Stale) {
                    return its;
                }
                if (its instanceof Handling.Failed) {
                    waiting.add(each.id());
                    worst = its;
                } else if (its instanceof Handling.Rejected && worst instanceof Handling.Done) {
                    worst = its;
                }
            }
            return worst;
        }
    }
}
