package dev.sluice.log;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The durable, ordered buffer of one backend's events.
 *
 * <ul>
 *   <li><b>Durable.</b> When {@link #append} returns, its events and its checkpoint are on disk, all of them; when it
 *       throws or the process dies, all of them are or none is. The checkpoint is never ahead of the events.
 *   <li><b>Ordered.</b> Reading yields the order of arrival. Cluster times never go back.
 *   <li><b>Without repeats.</b> An id that is already there is dropped, so capture may replay what it is not sure of.
 *   <li><b>Without silent holes.</b> A read yields what directly follows, or says that it was evicted. Nobody ever reads
 *       an event that a crash could still take away.
 * </ul>
 *
 * <p>One thread at a time appends or evicts (others wait); any number read meanwhile, and none holds another up. A
 * closed log throws {@link EventLogException}. Faults are typed: {@link OutOfOrderException}, {@link
 * NoSpaceException}, {@link DamagedLogException}.
 */
public interface EventLog extends AutoCloseable {

    /**
     * Adds events at the head, with the checkpoint that follows them (null: leave it as it is), and returns when they
     * are synced. What lies before {@link LogState#evictedThrough}, evicted or never had, counts as repeats: whoever resumes
     * from there is told so anyway.
     *
     * <p>The first append of all settles where this log's history begins: without records at the checkpoint's token,
     * else just before its first record. So capture appends the token it opened its stream with before anything else.
     *
     * @throws OutOfOrderException a record is older than the head and not among what the log has: nothing was appended
     * @throws NoSpaceException the disk is full: nothing was appended (or all: then trying again drops repeats)
     */
    Appended append(List<EventRecord> records, @Nullable Checkpoint checkpoint);

    /**
     * What directly follows a position: at most so many events and bytes, but always one if there is one.
     *
     * @throws DamagedLogException a file of the log does not read as it was written
     */
    LogRead read(LogPosition after, int maxEvents, long maxBytes);

    /**
     * Where a consumer goes on whose last event was this. If the log has the id's cluster time but not its hash, or the
     * hash is 0, that is before the first event of that time: a repeat rather than a loss.
     */
    Located locate(EventId id);

    /** Head, beginning, checkpoint and size. Cheap: it reads memory. */
    LogState state();

    /** The segments, oldest first. Cheap: it reads memory. {@link LogSize} estimates by them. */
    List<Segment> segments();

    /**
     * Takes out every segment whose last event is at or before this time, oldest first, never the head's; durable when
     * it returns. A cluster time goes whole or stays whole.
     */
    Eviction evict(ClusterTime through);

    /** Frees everything. Closing twice is harmless. */
    @Override
    void close();
}
