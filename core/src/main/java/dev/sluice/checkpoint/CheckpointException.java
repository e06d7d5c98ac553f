package dev.sluice.checkpoint;

/** A checkpoint could not be stored or read. The message says where and what to do. */
public final class CheckpointException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CheckpointException(String message, Throwable cause) {
        super(message, cause);
    }
}
