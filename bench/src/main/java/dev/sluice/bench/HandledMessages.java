package dev.sluice.bench;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** What the handlers of one process received: each message once, repeats apart, with the time since it was published. */
final class HandledMessages {
    private static final int MICROS_PER_SLOT = 100;
    private static final int SLOTS = 600_000;

    private volatile Phase phase = new Phase(-1, 0, Long.MAX_VALUE);

    /** Starts a phase. Any thread may then call {@link #handled}. */
    void begin(int number, int messages, long latencyFrom) {
        phase = new Phase(number, messages, latencyFrom);
    }

    void handled(byte[] body) {
        phase.handled(BenchMessage.decode(body));
    }

    /** Different messages of this phase. */
    long count() {
        return phase.distinct.sum();
    }

    long repeats() {
        return phase.repeats.sum();
    }

    /** From the first message of this phase to the latest one that is no repeat. */
    long spanMicros() {
        return phase.last.get() - phase.first.get();
    }

    /** The least latency within which this share of the messages was handled, in microseconds. */
    long quantile(double share) {
        return phase.quantile(share);
    }

    private static final class Phase {
        final int number;
        final long latencyFrom;
        final int messages;
        final AtomicLongArray seen;
        final AtomicIntegerArray latencies = new AtomicIntegerArray(SLOTS + 1);
        final LongAdder distinct = new LongAdder();
        final LongAdder repeats = new LongAdder();
        final AtomicLong first = new AtomicLong(Long.MAX_VALUE);
        final AtomicLong last = new AtomicLong();

        Phase(int number, int messages, long latencyFrom) {
            this.number = number;
            this.messages = messages;
            this.latencyFrom = latencyFrom;
            this.seen = new AtomicLongArray(messages / Long.SIZE + 1);
        }

        void handled(BenchMessage message) {
            if (message.phase() != number || message.number() >= messages || !mark(message.number())) {
                repeats.increment();
                return;
            }
            long now = BenchMessage.now();
            distinct.increment();
            last.lazySet(now);
            if (first.get() > now) {
                first.accumulateAndGet(now, Math::min);
            }
            if (message.sentAt() >= latencyFrom) {
                latencies.incrementAndGet((int) Math.clamp((now - message.sentAt()) / MICROS_PER_SLOT, 0, SLOTS));
            }
        }

        private boolean mark(int n) {
            long bit = 1L << (n % Long.SIZE);
            int slot = n / Long.SIZE;
            long before = seen.get(slot);
            while ((before & bit) == 0) {
                long witness = seen.compareAndExchange(slot, before, before | bit);
                if (witness == before) {
                    return true;
                }
                before = witness;
            }
            return false;
        }

        long quantile(double share) {
            long total = 0;
            for (int slot = 0; slot <= SLOTS; slot++) {
                total += latencies.get(slot);
            }
            long needed = (long) Math.ceil(share * total);
            long sum = 0;
            int slot = -1;
            while (sum < needed) {
                sum += latencies.get(++slot);
            }
            return (slot + 1L) * MICROS_PER_SLOT;
        }
    }
}
