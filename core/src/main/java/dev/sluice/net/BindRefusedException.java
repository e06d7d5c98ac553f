package dev.sluice.net;

/** A server may not listen where it was asked to. The message says what to change. */
public final class BindRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BindRefusedException(String message) {
        super(message);
    }
}
