package dev.sluice.deliver;

/** What a gateway said of one event of a batch it answered. */
public sealed interface EventOutcome {
    EventOutcome DELIVERED = new Delivered();
    EventOutcome NOT_HELD = new NotHeld();

    record Delivered() implements EventOutcome {}

    /** The gateway is done with it, and told nobody: no subscription of that id is there. */
    record NotHeld() implements EventOutcome {}

    /** The gateway never wants it: a dead letter. */
    record Rejected(String reason) implements EventOutcome {}

    /**
     * Not now; the others of the batch do not wait for it, but for those that must come behind it.
     *
     * @param eventMayBeToBlame the gateway keeps breaking down over this one, and answers otherwise: after some attempts it
     *     becomes a dead letter
     */
    record RetryLater(String reason, boolean eventMayBeToBlame) implements EventOutcome {
        public RetryLater(String reason) {
            this(reason, false);
        }
    }
}
