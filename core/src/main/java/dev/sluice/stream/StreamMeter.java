package dev.sluice.stream;

/** Told what streams do, for metrics. Called on the threads that send: it must return at once. */
public interface StreamMeter {
    StreamMeter NONE = new StreamMeter() {};

    /** A batch went out, after the consumer's connection let us wait so long for it. */
    default void published(int events, long bytes, long waitedNanos) {}

    /** A stream ended by a fault, or because its consumer lost its place; not by the consumer, not by a server that stops. */
    default void publishError() {}

    /** A consumer just became this slow. */
    default void backpressure(SendPace.Level level) {}
}
