package dev.sluice.outbox.relay;

import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Logs what keeps the partitions of a relay from being sent: once per change of state, however many partitions have it. */
final class TroubleLog {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionRelay.class);

    private final Map<Integer, String> troubles = new HashMap<>();

    synchronized void began(int partition, String trouble) {
        Level level = troubles.containsValue(trouble) ? Level.DEBUG : Level.WARN;
        troubles.put(partition, trouble);
        LOG.atLevel(level)
                .log(
                        "partition {}: {}; it is retried until it succeeds (other partitions with the same cause: at DEBUG)",
                        partition,
                        trouble);
    }

    synchronized void ended(int partition) {
        if (troubles.remove(partition) != null && troubles.isEmpty()) {
            LOG.info("partition {} is sent again, and so are all partitions of this relay", partition);
        }
    }

    /** Another relay has the partition now, or none. */
    synchronized void forget(int partition) {
        troubles.remove(partition);
    }
}
