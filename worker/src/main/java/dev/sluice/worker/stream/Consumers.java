package dev.sluice.worker.stream;

import java.util.List;
import java.util.Optional;

/**
 * The consumers of one stream. As for {@link MessageStream}, a call without an answer throws {@link
 * StreamUnavailableException} and is undecided; a call that JetStream refuses throws {@link StreamRefusedException}.
 */
public interface Consumers {
    /**
     * Creates a consumer. Its name must not be in use: a name is used for one creation only. A consumer of that name with
     * other settings is refused; one with exactly these settings is returned as it is.
     */
    ConsumerState create(ConsumerSpec spec);

    /**
     * Gives a consumer other filters, and changes nothing else. Messages of an added subject below the consumer's position
     * are never delivered. The answer may still show the old filters: ask {@link #info}.
     */
    void changeFilters(ConsumerSpec spec);

    /** The consumer as its leader knows it; empty when there is none of that name. */
    Optional<ConsumerState> info(String name);

    /** The names of all consumers of the stream that begin with this prefix. */
    List<String> names(String prefix);

    /** Deletes a consumer; false when there was none. */
    boolean delete(String name);

    /** Begins to receive what {@link Pull#want} asks for. */
    Pull pull(String consumer, Receiver receiver);

    /** Takes deliveries in. All calls for one pull come one after the other, on a thread of the connection: return at once. */
    interface Receiver {
        void delivered(Delivery delivery);

        /**
         * The server has nothing to deliver at the moment. Called in order with deliveries.
         *
         * @param delivered the consumer sequence of its last delivery: a receiver that has not got it has lost deliveries
         */
        default void idle(long delivered) {}

        /** The consumer is gone or does not answer: nothing more comes by this pull. Called once. */
        void broken(String reason);
    }

    /** Requests to a consumer. */
    interface Pull extends AutoCloseable {
        /**
         * Lets up to so many more messages be delivered, those asked for before included; replaces what was wanted before.
         * Call it again whenever there is room: nothing beyond the last number is asked for. 0 sends no further requests;
         * what was asked for may still come. Requests that expire undelivered are repeated by the pull itself.
         *
         * @param maxBytes upper bound of one request in bytes; 0: none. A single message above it comes all the same.
         */
        void want(int messages, int maxBytes);

        /** How many messages are asked for and not delivered. */
        int outstanding();

        /**
         * Ends the pull. A call of the receiver that has already begun on another thread may still be running when this
         * returns; this method does not wait for it. {@code broken} is not called for a pull that is closed.
         */
        @Override
        void close();
    }
}
