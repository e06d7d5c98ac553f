package dev.sluice.outbox.relay;

import dev.sluice.coordinate.GroupStatus;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs why a relay that has started owns no partitions yet: which other relays count as alive, and when those that died no
 * longer do. Otherwise a restart after a crash waits for its predecessor in silence.
 */
final class FirstShare {
    private static final Logger LOG = LoggerFactory.getLogger(FirstShare.class);
    /** An ordinary start takes less. */
    private static final Duration ORDINARY = Duration.ofSeconds(1);

    private static final Duration LOOK = Duration.ofMillis(250);
    /** A standby may wait for its share for ever. */
    private static final Duration LOOK_LATER = Duration.ofSeconds(2);

    private final String outbox;
    private final Duration nodeTimeout;
    private final LongSupplier nanos;
    private final long start;
    private boolean told;

    FirstShare(String outbox, Duration nodeTimeout, LongSupplier nanos) {
        this.outbox = outbox;
        this.nodeTimeout = nodeTimeout;
        this.nanos = nanos;
        this.start = nanos.getAsLong();
    }

    /** @return when to look again; null when there is nothing more to say */
    @Nullable
    Duration look(GroupStatus status) {
        if (!status.owned().isEmpty()) {
            if (told) {
                LOG.info("outbox {}: {}", outbox, status.sentence());
            }
            return null;
        }
        List<String> others = status.members().stream()
                .filter(member -> !member.equals(status.member()))
                .toList();
        boolean late = nanos.getAsLong() - start >= ORDINARY.toNanos();
        if (!told && !others.isEmpty() && late) {
            told = true;
            LOG.info(
                    "outbox {}: this relay owns no partitions yet and waits for {}, which count as alive and own them; a relay"
                            + " that died counts for up to {} s after its last heartbeat (outbox.node.timeout)",
                    outbox,
                    others,
                    nodeTimeout.toSeconds());
        }
        return late ? LOOK_LATER : LOOK;
    }
}
