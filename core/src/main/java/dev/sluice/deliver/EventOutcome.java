package dev.sluice.deliver;

/** What a gateway said of one event of a batch it answered. */
public sealed interface EventOutcome {
    EventOutcome DELIVERED = new Delivered();

    record Delivered() implements EventOutcome {}

    /** The gateway never wants it: a dead letter. */
    record Rejected(String reason) implements EventOutcome {}

    /** Not now. */
    record RetryLater(String reason) implements EventOutcome {}
}
