package dev.sluice.worker.stream;

import java.util.Locale;

/** Kinds of status messages that answer a pull request. */
enum PullStatus {
    /** The request still waits. */
    HEARTBEAT,
    /** The request is over: it expired, or its batch or bytes are complete. */
    ENDED,
    /** The consumer has as many requests as it may have. */
    TOO_MANY_REQUESTS,
    /** The next message does not fit into the request's bytes. */
    EXCEEDED_BYTES,
    /** The consumer is gone, has another leader, or cannot be asked. */
    BROKEN;

    static PullStatus of(int code, String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return switch (code) {
            case 100 -> HEARTBEAT;
            case 404, 408 -> ENDED;
            case 409 -> conflict(lower);
            default -> BROKEN;
        };
    }

    private static PullStatus conflict(String text) {
        if (text.contains("exceeds maxbytes")) {
            return EXCEEDED_BYTES;
        }
        if (text.contains("exceeded")) {
            return TOO_MANY_REQUESTS;
        }
        return text.contains("batch completed") ? ENDED : BROKEN;
    }
}
