package dev.sluice.worker.stream;

/** One delivery of a message by one consumer. Acknowledging sends without waiting, from any thread, and never throws. */
public interface Delivery extends StreamMessage {
    /** Counts the deliveries of this consumer, redeliveries included: a number that is missing is a delivery that was lost. */
    long consumerSequence();

    /** How often this consumer has delivered this message, this delivery included. */
    long deliveryCount();

    /** Messages behind this one that the consumer has not delivered yet. A hint: a lagging replica may have counted. */
    long pending();

    /** The bytes of headers and body: what the message takes in memory. */
    int size();

    void ack();

    /** Restarts the consumer's ack wait for this message. */
    void inProgress();
}
