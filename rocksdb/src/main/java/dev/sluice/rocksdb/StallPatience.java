package dev.sluice.rocksdb;

import java.time.Duration;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.rocksdb.RocksDBException;

/**
 * Repeats a write that RocksDB refuses while a flush is under way. The pauses grow: a short stall costs milliseconds, a
 * long one does not keep a core busy that the flush needs.
 */
final class StallPatience {
    /** A flush of all write buffers takes less than this on a disk that works. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(2);
    private static final Duration LAST_PAUSE = Duration.ofMillis(100);

    /** Something that RocksDB may refuse. */
    interface Call<T> {
        T run() throws RocksDBException;
    }

    /** A write that is whole or refused. */
    interface Write {
        void run() throws RocksDBException;
    }

    private final LongSupplier nanos;
    private final LongConsumer pause;

    /** @param pause waits for so many nanoseconds, or a little less */
    StallPatience(LongSupplier nanos, LongConsumer pause) {
        this.nanos = nanos;
        this.pause = pause;
    }

    /** @param hopeless whether what the stall waits for has failed */
    void outlast(Write write, Call<Boolean> hopeless) throws RocksDBException {
        long begun = nanos.getAsLong();
        long wait = FIRST_PAUSE.toNanos();
        while (true) {
            try {
                write.run();
                return;
            } catch (RocksDBException e) {
                if (!RocksStore.isStall(e) || hopeless.run() || nanos.getAsLong() - begun > LONGEST.toNanos()) {
                    throw e;
                }
                pause.accept(wait);
                wait = Math.min(2 * wait, LAST_PAUSE.toNanos());
            }
        }
    }
}
