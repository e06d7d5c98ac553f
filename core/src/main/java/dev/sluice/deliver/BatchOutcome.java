package dev.sluice.deliver;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What came of one attempt. What is not known to be delivered, rejected or fenced is {@link RetryLater}: a wrong password
 * during a deployment must not cost an event.
 */
public sealed interface BatchOutcome {
    BatchOutcome DELIVERED = new Delivered();

    /** The gateway has all of it. */
    record Delivered() implements BatchOutcome {}

    /** The gateway answered, and has something to say of single events; as many as the batch has, in its order. */
    record PerEvent(List<EventOutcome> outcomes) implements BatchOutcome {
        public PerEvent {
            outcomes = List.copyOf(outcomes);
        }
    }

    /**
     * No answer, or one that says nothing of the events themselves. The batch may have arrived all the same.
     *
     * @param eventMayBeToBlame the gateway took the batch up and broke down over it. Only then may an event that keeps
     *     failing alone become a dead letter: who is away, busy or asks for later would say so to any event.
     */
    record RetryLater(String reason, Optional<Duration> after, boolean eventMayBeToBlame) implements BatchOutcome {
        public RetryLater(String reason) {
            this(reason, Optional.empty());
        }

        public RetryLater(String reason, Optional<Duration> after) {
            this(reason, after, false);
        }
    }

    /** The gateway will not have the batch as it is: some event in it, or its size. Smaller ones tell which. */
    record Refused(String reason) implements BatchOutcome {}

    /** The gateway knows a newer token than one in the batch: its sender has been replaced. */
    record Fenced(String reason) implements BatchOutcome {}
}
