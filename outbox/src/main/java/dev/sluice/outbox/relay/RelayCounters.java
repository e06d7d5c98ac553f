package dev.sluice.outbox.relay;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What a relay did since it started. Any thread may read. */
public final class RelayCounters {
    private final Map<Integer, LongAdder> sent = new ConcurrentHashMap<>();
    private final LatencyHistogram latency = new LatencyHistogram();
    final LongAdder batches = new LongAdder();
    final LongAdder parked = new LongAdder();
    final LongAdder topicsBlocked = new LongAdder();
    final LongAdder dead = new LongAdder();
    final LongAdder sinkFailures = new LongAdder();
    final LongAdder databaseFailures = new LongAdder();
    final LongAdder fenced = new LongAdder();
    final LongAdder wakeUps = new LongAdder();
    private final TroubleLog troubles = new TroubleLog();

    /** Shared by all partitions, so that a trouble they have in common is logged once. */
    TroubleLog troubles() {
        return troubles;
    }

    LongAdder sentOf(int partition) {
        return sent.computeIfAbsent(partition, any -> new LongAdder());
    }

    /** Rows sent and finished, by partition. */
    public Map<Integer, Long> sentByPartition() {
        Map<Integer, Long> all = new TreeMap<>();
        sent.forEach((partition, rows) -> all.put(partition, rows.sum()));
        return all;
    }

    public long sent() {
        return sent.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** From a row's creation, by the database's clock, to its acknowledgement, by ours. */
    public LatencyHistogram latency() {
        return latency;
    }

    public long batches() {
        return batches.sum();
    }

    /** Times that a key was parked. */
    public long parked() {
        return parked.sum();
    }

    /** Times that a topic of a partition began to take nothing. */
    public long topicsBlocked() {
        return topicsBlocked.sum();
    }

    /** Rows given up. */
    public long dead() {
        return dead.sum();
    }

    public long sinkFailures() {
        return sinkFailures.sum();
    }

    public long databaseFailures() {
        return databaseFailures.sum();
    }

    /** Times that the table or the sink refused a write because another relay has the partition. */
    public long fenced() {
        return fenced.sum();
    }

    /** Times that the relay was told of new rows, in this process or by the database. */
    public long wakeUps() {
        return wakeUps.sum();
    }
}
