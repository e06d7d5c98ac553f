package dev.sluice.worker.consume;

import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * The common bound of all readers of one worker: messages and bytes that are queued, running or asked for. Each reader gets
 * an equal share, and always at least one message, so that a slow partition never stops another. Without this bound a worker
 * with a consumer for each of thousands of partitions could hold max_ack_pending messages of every one.
 */
final class ReadAhead {
    /** Up to so many readers are not limited in messages by each other. */
    static final int READERS_WITHOUT_LIMIT = 50;

    static final long MAX_BYTES = 128L << 20;

    /** Every reader may hold so many bytes; a single larger message comes all the same. */
    static final long LEAST_BYTES = 16 << 10;

    private final IntSupplier readers;
    private final Pool messages;
    private final Pool bytes;

    /** @param capacity messages that one reader may hold */
    ReadAhead(int capacity, IntSupplier readers) {
        this.readers = readers;
        this.messages = new Pool((long) capacity * READERS_WITHOUT_LIMIT);
        this.bytes = new Pool(MAX_BYTES);
    }

    Share share() {
        return new Share();
    }

    private static final class Pool {
        private final long total;
        private long reserved;

        private Pool(long total) {
            this.total = total;
        }

        /** Changes a reservation to {@code held} or more, up to {@code wanted} where there is room; returns the new one. */
        private synchronized long reserve(long had, long held, long wanted) {
            long granted = Math.max(held, Math.min(wanted, total - reserved + had));
            reserved += granted - had;
            return granted;
        }
    }

    /** The reservation of one reader. */
    final class Share {
        private long reservedMessages;
        private long reservedBytes;
        private boolean closed;

        /**
         * Reserves room for messages. Returns how many messages the reader may hold, which may be fewer than it holds.
         *
         * @param held queued, running, or asked for and not delivered
         * @param capacity the most that the reader wants to hold
         */
        synchronized int messages(int held, int capacity) {
            if (closed) {
                return 0;
            }
            long wanted = Math.max(1, Math.min(capacity, equalShare(messages)));
            reservedMessages = messages.reserve(reservedMessages, Math.max(1, held), wanted);
            return (int) Math.min(wanted, reservedMessages);
        }

        /** As {@link #messages}, in bytes. */
        synchronized long bytes(long held) {
            if (closed) {
                return 0;
            }
            long wanted = Math.max(LEAST_BYTES, equalShare(bytes));
            reservedBytes = bytes.reserve(reservedBytes, Math.max(LEAST_BYTES, held), wanted);
            return Math.min(wanted, reservedBytes);
        }

        private long equalShare(Pool pool) {
            return pool.total / Math.max(1, readers.getAsInt());
        }

        /** Keeps reserved what a closed reader has left in queues, and no more: nothing is reserved from now on. */
        synchronized void keep(IntSupplier messagesLeft, LongSupplier bytesLeft) {
            closed = true;
            long heldMessages = Math.max(0, messagesLeft.getAsInt());
            long heldBytes = Math.max(0, bytesLeft.getAsLong());
            reservedMessages = messages.reserve(reservedMessages, heldMessages, heldMessages);
            reservedBytes = bytes.reserve(reservedBytes, heldBytes, heldBytes);
        }
    }
}
