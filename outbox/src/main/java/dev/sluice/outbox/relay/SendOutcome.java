package dev.sluice.outbox.relay;

/** What became of one row. */
public sealed interface SendOutcome {
    SendOutcome SENT = new Sent();

    /** Durable at the receiver. */
    record Sent() implements SendOutcome {}

    /** This row alone failed, and may succeed later: its key is parked. */
    record Failed(String reason) implements SendOutcome {}

    /** It will never be taken: straight to the dead rows. */
    record Refused(String reason) implements SendOutcome {}

    /** Not sent, because an earlier row of its key was not. */
    record Held() implements SendOutcome {}
}
