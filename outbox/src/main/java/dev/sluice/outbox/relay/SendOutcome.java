package dev.sluice.outbox.relay;

/** What became of one row. */
public sealed interface SendOutcome {
    SendOutcome SENT = new Sent();

    /** Durable at the receiver. */
    record Sent() implements SendOutcome {}

    /** This row alone failed, and may succeed later: its key is parked. */
    record Failed(String reason) implements SendOutcome {}

    /**
     * No row is to blame, its topic takes nothing at the moment: it is not there, or may not be written. All rows of the topic
     * wait in the table until it does; those of other topics go on, also of the same key, since no order is promised
     * between topics.
     */
    record Blocked(String reason) implements SendOutcome {}

    /** It will never be taken: straight to the dead rows. */
    record Refused(String reason) implements SendOutcome {}

    /** Not sent, because an earlier row of its key was not; or nobody knows. It is sent again. */
    record Held() implements SendOutcome {}
}
