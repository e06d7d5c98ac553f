package dev.sluice.client;

/** What to do when events were missed because the server no longer keeps them. */
public enum OutOfRangePolicy {
    /** End, with the server's message: somebody must decide. */
    STOP,
    /** Go on with the oldest events there are. What lies between is lost: read the source's current state again. */
    FROM_OLDEST,
    /** Go on with what happens from now on. */
    FROM_NOW
}
