package dev.sluice.bench;

import dev.sluice.outbox.relay.SendOutcome;
import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import dev.sluice.outbox.table.Row;
import java.util.List;
import java.util.OptionalLong;

/**
 * A sink behind a thin line: all partitions of one relay together send so many bytes per second. Kafka's own quotas would
 * let ten seconds' worth through at once, and then nothing for ten seconds.
 */
final class ThrottledSink implements Sink {
    /** What Kafka adds to key and payload, about. */
    private static final int OVERHEAD = 40;

    private final Sink receiver;
    private final double nanosPerByte;
    private long free = System.nanoTime();

    ThrottledSink(Sink receiver, int bytesPerSecond) {
        this.receiver = receiver;
        this.nanosPerByte = 1e9 / bytesPerSecond;
    }

    @Override
    public Channel open(Opening opening) throws SinkUnavailableException, InterruptedException {
        Channel channel = receiver.open(opening);
        return new Channel() {
            @Override
            public List<Long> alreadySent() {
                return channel.alreadySent();
            }

            @Override
            public List<SendOutcome> send(List<Row> rows) throws SinkUnavailableException, InterruptedException {
                long pause = reserve(rows) - System.nanoTime();
                if (pause > 0) {
                    Thread.sleep(pause / 1_000_000, (int) (pause % 1_000_000));
                }
                return channel.send(rows);
            }

            @Override
            public OptionalLong batch() {
                return channel.batch();
            }

            @Override
            public void removed() {
                channel.removed();
            }

            @Override
            public void close() {
                channel.close();
            }
        };
    }

    /** When the last byte of these is through the line. */
    private synchronized long reserve(List<Row> rows) {
        long bytes = 0;
        for (Row row : rows) {
            bytes += row.key().length() + row.payload().length + OVERHEAD;
        }
        free = Math.max(free, System.nanoTime()) + (long) (bytes * nanosPerByte);
        return free;
    }

    @Override
    public boolean remembers() {
        return receiver.remembers();
    }

    @Override
    public void close() {
        receiver.close();
    }
}
