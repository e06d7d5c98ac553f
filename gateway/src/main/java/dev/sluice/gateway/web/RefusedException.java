package dev.sluice.gateway.web;

import io.helidon.http.Status;

/** An end user does not get what it asked for; the message says why, to it. */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Status status;

    private RefusedException(Status status, String reason) {
        super(reason);
        this.status = status;
    }

    public static RefusedException unauthenticated(String reason) {
        return new RefusedException(Status.UNAUTHORIZED_401, reason);
    }

    public static RefusedException forbidden(String reason) {
        return new RefusedException(Status.FORBIDDEN_403, reason);
    }

    static RefusedException bad(String reason) {
        return new RefusedException(Status.BAD_REQUEST_400, reason);
    }

    static RefusedException busy(String reason) {
        return new RefusedException(Status.SERVICE_UNAVAILABLE_503, reason);
    }

    /** Another token may be let in. */
    boolean isUnauthenticated() {
        return status.equals(Status.UNAUTHORIZED_401);
    }

    Status status() {
        return status;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
