package dev.sluice.worker.stream;

/** JetStream refused a change: it has not happened. */
public final class StreamRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** On a work-queue stream: another consumer has one of the filters. */
    public static final int FILTERS_OVERLAP = 10100;

    public static final int NO_SUCH_STREAM = 10059;
    public static final int NO_SUCH_CONSUMER = 10014;
    public static final int TOO_MANY_CONSUMERS = 10026;

    private final int code;

    public StreamRefusedException(int code, String message) {
        super(message);
        this.code = code;
    }

    /** JetStream's error code, such as {@link #FILTERS_OVERLAP}. */
    public int code() {
        return code;
    }
}
