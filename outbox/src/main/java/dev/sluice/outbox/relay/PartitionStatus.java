package dev.sluice.outbox.relay;

import dev.sluice.model.FencingToken;
import java.time.Duration;
import java.util.List;

/**
 * One partition this relay owns.
 *
 * @param breaker whether the receiver takes rows
 * @param waiting how long the rows under way have waited for their acknowledgement; zero when none are
 * @param batchRows how many rows are fetched at once
 * @param parkedKeys keys that wait because a row of theirs failed
 * @param blockedTopics topics that take nothing, whose rows wait
 * @param trouble what failed last, empty when nothing does
 */
public record PartitionStatus(
        int partition,
        FencingToken token,
        Breaker breaker,
        Duration waiting,
        long sent,
        int batchRows,
        int parkedKeys,
        List<BlockedTopic> blockedTopics,
        String trouble) {

    /** Whether the receiver takes rows: the loop waits by itself while it does not, this says so. */
    public enum Breaker {
        CLOSED,
        /** It refused several times in a row, or has not acknowledged anything for a while. */
        OPEN,
        /** It is being tried again. */
        HALF_OPEN
    }
}
