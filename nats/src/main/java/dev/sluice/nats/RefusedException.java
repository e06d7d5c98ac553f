package dev.sluice.nats;

import io.nats.client.JetStreamApiException;

/** JetStream found another revision than the expected one, and wrote nothing. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int WRONG_LAST_SEQUENCE = 10071;
    private static final int ANOTHER_UNDER_WAY = 10164;

    RefusedException(JetStreamApiException cause) {
        super(cause);
    }

    static boolean isRefusal(JetStreamApiException answer) {
        return answer.getApiErrorCode() == WRONG_LAST_SEQUENCE;
    }

    /**
     * Nothing was written, because another write of the same key is on its way through a cluster (2.11 or newer). Whether
     * that arrives is not known yet, so it says nothing about the revision.
     */
    static boolean isTooEarly(JetStreamApiException answer) {
        return answer.getApiErrorCode() == ANOTHER_UNDER_WAY;
    }
}
