package dev.sluice.nats;

import io.nats.client.JetStreamApiException;
import java.util.Set;

/** JetStream found another revision than the expected one, and wrote nothing. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** Another is there; another is on its way there (a cluster of 2.11 or newer). */
    private static final Set<Integer> WRONG_LAST_SEQUENCE = Set.of(10071, 10164);

    RefusedException(JetStreamApiException cause) {
        super(cause);
    }

    static boolean isRefusal(JetStreamApiException answer) {
        return WRONG_LAST_SEQUENCE.contains(answer.getApiErrorCode());
    }
}
