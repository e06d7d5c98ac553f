package dev.sluice.route;

import dev.sluice.feed.FeedOutOfRangeException;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.ResolvedIds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds a stream's place again when its log has dropped the tail's events or is another log. For the partition's thread. */
final class LogRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

    private final StreamerContext context;
    private final Offering offering;
    private final int partition;
    private final Audience audience;

    LogRecovery(StreamerContext context, Offering offering, int partition, Audience audience) {
        this.context = context;
        this.offering = offering;
        this.partition = partition;
        this.audience = audience;
    }

    /**
     * The tail's events are no longer kept: every main group that is at the tail falls behind, and learns of the gap when
     * {@link CatchUp} reads for it. Under the partition's lock.
     */
    boolean skipLost(PartitionStream stream, FeedOutOfRangeException why) {
        LOG.atError()
                .addKeyValue("partition", partition)
                .addKeyValue("log", stream.log())
                .addKeyValue("reason", why.getMessage())
                .log("the partition's position is older than what the log keeps: every subscription is told to resync");
        long now = context.turns().nanos();
        boolean unused = context.registry().reading(() -> makeMains(stream));
        stream.groups().forEach(group -> {
            if (group.isAtTail()) {
                group.fallBehind(stream.tail(), now);
            }
        });
        stream.jumpTo(why.oldest());
        return true;
    }

    /** A main group at the tail has no object while everything is settled: one that falls behind needs it. */
    private boolean makeMains(PartitionStream stream) {
        context.registry().forEach(subscription -> {
            audience.shown().groupsOf(subscription).forEach(stream.groups()::main);
        });
        return true;
    }

    /** The present head of a log that has another identity. Asks the feed: not under the partition's lock. */
    LogHead headOf(PartitionStream stream) {
        LogHead head = context.feed().heads().get(stream.log());
        if (head == null) {
            throw new FeedUnavailableException("log " + stream.log() + " is not there");
        }
        return head;
    }

    /** The partition reads another Puller, or the log was refilled. Under the partition's lock. */
    boolean resolveAnew(PartitionStream stream, LogHead head, ResolvedIds resolved) {
        LOG.atWarn()
                .addKeyValue("partition", partition)
                .addKeyValue("log", stream.log())
                .log("the log has another identity: every position is resolved anew by its event id");
        stream.groups().forEach(group -> offering.putBack(stream, group, group.acked(stream.tail())));
        stream.resolveAnew(head, resolved, context.turns().nanos());
        return true;
    }
}
