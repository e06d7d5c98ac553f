package dev.sluice.server.streamer;

import dev.sluice.feed.EventFeed;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogChangedException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.StreamId;
import dev.sluice.log.EventLogException;
import dev.sluice.log.LogReader;
import dev.sluice.log.LogState;
import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import dev.sluice.stream.ConsumersView;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The logs of a Puller in this process. A log that could not be opened is left out of {@link #heads}. Reading a log is
 * native code, so readers belong on platform threads.
 */
public final class LocalLogFeed implements EventFeed {
    private final SortedMap<String, LogReader> logs;
    private final Duration retention;
    private final ConsumersView consumers;

    /**
     * @param logs by name
     * @param retention how long the logs keep events, to foresee when a reader is overtaken
     * @param consumers the Puller's list of consumers, which lists the readers of this feed
     */
    public LocalLogFeed(Map<String, LogReader> logs, Duration retention, ConsumersView consumers) {
        this.logs = Collections.unmodifiableSortedMap(new TreeMap<>(logs));
        this.retention = retention;
        this.consumers = consumers;
    }

    @Override
    public Map<String, LogHead> heads() {
        SortedMap<String, LogHead> heads = new TreeMap<>();
        logs.forEach((name, log) -> {
            LogState state = log.state();
            if (state.identity() != 0) {
                heads.put(
                        name,
                        new LogHead(
                                state.identity(),
                                state.head().toPosition(),
                                state.evictedThrough().toPosition()));
            }
        });
        return heads;
    }

    @Override
    public List<Position> resolve(String log, long identity, List<EventId> ids) {
        LogReader reader = log(log, identity);
        try {
            return ids.stream().map(reader::resolve).toList();
        } catch (EventLogException broken) {
            throw new FeedUnavailableException(
                    "the event log '" + log + "' cannot be read: " + broken.getMessage(), broken);
        }
    }

    @Override
    public Reader open(String label, StreamId stream, long identity, Position after, Runnable more) {
        return new LocalLogReader(this, label, stream, identity, after, more);
    }

    /**
     * Returns the log of this name.
     *
     * @throws LogChangedException when it has another identity
     * @throws FeedUnavailableException when there is none, or it could not be opened
     */
    LogReader log(String name, long identity) {
        LogReader log = logs.get(name);
        if (log == null) {
            throw new FeedUnavailableException("the Puller of this process has no log '" + name + "'");
        }
        long present = log.state().identity();
        if (present == 0) {
            throw new FeedUnavailableException(
                    "the event log '" + name + "' could not be opened: see the log of this process for the cause");
        }
        if (present != identity) {
            throw new LogChangedException(
                    "the log '" + name + "' has the identity " + Long.toUnsignedString(present, 16) + ", not "
                            + Long.toUnsignedString(identity, 16) + ": resolve every position anew");
        }
        return log;
    }

    Duration retention() {
        return retention;
    }

    ConsumersView consumers() {
        return consumers;
    }
}
