package dev.sluice.worker.lane;

/** The consumer a lane gets its messages from, as far as the lane needs it. */
public interface Feed {
    /** The stream sequence up to which this consumer has surely delivered every message of its filters. */
    long coverage();

    /** A message of this consumer was taken into a lane. */
    void taken(int bytes);

    /** A message of this consumer was finished, or another consumer has delivered it since. Called under the lane's lock. */
    void settled(int bytes);

    /** Whether a message that another consumer delivers as well may be acknowledged here before it is handled. */
    boolean acksReplaced();

    /** There may be room for more. Called without a lock. */
    void pullMore();
}
