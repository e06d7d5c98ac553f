package dev.sluice.worker.simulation;

import java.util.Map;
import java.util.TreeMap;

/** What a consumer of the model knows of its deliveries. */
final class ConsumerProgress {
    /** A message that was delivered and is not acknowledged. */
    static final class Unacked {
        int count;
        long deadline;

        Unacked(int count, long deadline) {
            this.count = count;
            this.deadline = deadline;
        }
    }

    final TreeMap<Long, Unacked> unacked = new TreeMap<>();
    /** The first stream sequence that was not looked at. */
    long next;

    /** The last consumer sequence that was given. */
    long sequence;

    ConsumerProgress(long next) {
        this.next = next;
    }

    /** Returns how often the message was delivered now. */
    int delivered(long streamSequence, long deadline) {
        Unacked before = unacked.get(streamSequence);
        int count = before == null ? 1 : before.count + 1;
        unacked.put(streamSequence, new Unacked(count, deadline));
        return count;
    }

    /** Everything that was delivered up to it is acknowledged. */
    long floor() {
        return unacked.isEmpty() ? next - 1 : unacked.firstKey() - 1;
    }

    ConsumerProgress copy() {
        ConsumerProgress copy = new ConsumerProgress(next);
        copy.sequence = sequence;
        for (Map.Entry<Long, Unacked> entry : unacked.entrySet()) {
            copy.unacked.put(entry.getKey(), new Unacked(entry.getValue().count, entry.getValue().deadline));
        }
        return copy;
    }
}
