package dev.sluice.testkit.ledger;

/**
 * Takes down what happens to documents. The writer numbers the writes of each document 1, 2, 3 … and puts the number
 * into the document; the consumer finds it there. Numbers may be left out, never used twice. May be called by any thread;
 * the arrivals of one consumer and document in the order in which they arrived.
 */
public interface Recorder {

    /**
     * This write is about to be tried. Needed only where its outcome may stay unknown (the writer or the database is
     * killed): such a write may arrive, and may not.
     */
    void attempted(String document, int version);

    /** This write was confirmed as committed: it must arrive. May be recorded after it has arrived. */
    void written(String document, int version);

    /**
     * A consumer got this change. To be recorded before the consumer acknowledges it.
     *
     * @param eventId the identity of the event, the same for every consumer and every repeat; empty when there is none
     * @param flaggedAsRepeat whether the delivery said of itself that it may be a repeat
     */
    void arrived(String consumer, String document, int version, String eventId, boolean flaggedAsRepeat);
}
