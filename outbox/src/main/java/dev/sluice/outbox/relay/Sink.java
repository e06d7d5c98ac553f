package dev.sluice.outbox.relay;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Row;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Where messages go. One partition of the outbox is opened by one relay at a time, under a token higher than all before it.
 *
 * <ul>
 *   <li><b>In order.</b> Of the rows of one key none becomes visible before one that was sent earlier, except that a row may
 *       come again.
 *   <li><b>Acknowledged.</b> {@link SendOutcome.Sent} means durable at the receiver.
 *   <li><b>Checked first.</b> What can be refused without sending (size, topic name) is refused before anything of the batch
 *       is sent.
 * </ul>
 */
public interface Sink extends AutoCloseable {
    /**
     * Starts sending for one partition. A sink that can do so refuses everything from senders with lower tokens from now on.
     *
     * @throws SinkUnavailableException when it cannot be reached: tried again later
     */
    Channel open(Opening opening) throws SinkUnavailableException, InterruptedException;

    /** Whether it keeps what it sent last by itself, and must find it again: {@link Opening#resumed}. */
    default boolean remembers() {
        return false;
    }

    /**
     * Whether the receiver answers. It is asked now and then, since who has nothing to send would not notice.
     *
     * @throws SinkUnavailableException when it does not within some seconds
     */
    default void probe() throws SinkUnavailableException, InterruptedException {}

    @Override
    void close();

    /**
     * Who opens.
     *
     * @param outbox its name
     * @param identity a random id of its tables: row ids mean something only together with it, since names repeat
     * @param partition a claim of the group
     * @param partitions how many claims there are under the token's generation
     * @param batches the last batch of each partition whose rows are gone from the table, see {@link Channel#batch}; of
     *     those never opened before it is 0
     * @param resumed whether this partition has been opened before under this generation: a sink that remembers must then
     *     find its memory, and refuses to begin anew without it
     */
    record Opening(
            String outbox,
            String identity,
            int partition,
            int partitions,
            FencingToken token,
            Map<Integer, Long> batches,
            boolean resumed) {
        public long batch(int ofPartition) {
            return batches.getOrDefault(ofPartition, 0L);
        }
    }

    /** One partition's way into the sink. Used by one thread; {@code close} may come from another. */
    interface Channel extends AutoCloseable {
        /** Ids that are out already, though perhaps still in the table: they are removed before anything is fetched. */
        List<Long> alreadySent();

        /**
         * Sends all rows, in order, and waits until each has its outcome: as many outcomes as rows.
         *
         * @throws SinkUnavailableException when nothing is known of some of them: the channel is closed, another opened,
         *     and what is then still in the table sent again
         */
        List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException, InterruptedException;

        /**
         * The number of the batch that was sent last, of a sink that remembers: written into the table together with the
         * removal of its rows. A table that knows another one is not the table those rows were sent from.
         */
        default OptionalLong batch() {
            return OptionalLong.empty();
        }

        /** The rows sent last are gone from the table, durably. */
        void removed();

        /** A row of the last batch was given up, and is safe in {@code outbox_dead}; called after {@link #removed}. */
        default void buried(Row row, String reason, int attempts) throws InterruptedException {}

        /** Ends a {@code send} that waits. */
        @Override
        void close();
    }
}
