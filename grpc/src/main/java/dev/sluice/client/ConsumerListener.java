package dev.sluice.client;

import dev.sluice.grpc.puller.v1.Event;

/** Told what an application should not overlook. Called on the consumer's thread, between events. */
public interface ConsumerListener {
    /**
     * Changes were lost that nobody can bring back: read the current state of the event's collection (or, if it names
     * none, of its whole backend) again before this returns. When it throws, the event is received again.
     */
    default void resync(Event event) throws Exception {}

    /** The server no longer keeps the events behind our marker; the policy decides how it goes on. */
    default void outOfRange(String message, OutOfRangePolicy policy) throws Exception {}

    /** The connection to this address ended, or our own code failed; another attempt follows. */
    default void disconnected(String address, Throwable cause) {}

    /** This address answers. */
    default void connected(String address) {}
}
