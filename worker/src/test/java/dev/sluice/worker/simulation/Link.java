package dev.sluice.worker.simulation;

import java.time.Duration;
import java.util.function.Supplier;

/** A client's connection to the model's server. */
interface Link {
    /**
     * Asks and waits for the answer; an exception of the server comes back as it was thrown.
     *
     * @throws dev.sluice.worker.stream.StreamUnavailableException when there was no answer
     */
    <T> T call(String what, Supplier<T> atServer);

    /** Sends without waiting; it may be lost. */
    void send(String what, Runnable atServer);

    /** Carries something from the server to the client, in order; lost when the connection ends meanwhile. */
    void receive(String what, Runnable atClient);

    /** A timer of the client. */
    void later(Duration delay, String what, Runnable atClient);

    /** Whether the next delivery is lost on its way although the connection stays. */
    boolean losesDelivery();

    /** How long a change of filters takes to show. */
    Duration updateDelay();

    /** False when the connection is gone for good, or was made anew: what the server had for it is dropped. */
    boolean isConnected(long connection);

    /** Counts the times this client has connected. */
    long connection();

    void whenBack(Runnable listener);
}
