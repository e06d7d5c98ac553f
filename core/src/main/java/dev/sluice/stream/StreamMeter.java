package dev.sluice.stream;

/** Told what streams do, for metrics. Called on the threads that send: it must return at once. */
public interface StreamMeter {
    StreamMeter NONE = new StreamMeter() {};

    /** A batch went out, after the consumer's connection let us wait so long for it. */
    default void published(int events, long bytes, long waitedNanos) {}

    /** A stream ended otherwise than by its consumer. */
    default void publishError() {}

    /** A consumer just became this slow. */
    default void backpressure(SendPace.Level level) {}
}
