package dev.sluice.server.streamer;

import dev.sluice.log.LogReader;
import dev.sluice.model.ProgressMarker;
import dev.sluice.route.EventFeed;
import dev.sluice.stream.ConsumersView;
import dev.sluice.stream.DocumentEncoding;
import dev.sluice.stream.EventFilter;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamRequest;
import dev.sluice.stream.WindowBudget;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The logs of a Puller in this process, read as a consumer far away would read them: the same merge, the same markers, no
 * sockets. Its readers are for platform threads, because reading a log is native code.
 */
public final class LocalFeed implements EventFeed {
    private final SortedMap<String, LogReader> backends;
    private final StreamLimits limits;
    private final WindowBudget windows;
    private final ConsumersView consumers;

    /** @param consumers where its readers are listed, as all consumers of that Puller are */
    public LocalFeed(Map<String, LogReader> backends, StreamLimits limits, ConsumersView consumers) {
        this.consumers = consumers;
        this.backends = Collections.unmodifiableSortedMap(new TreeMap<>(backends));
        this.limits = limits;
        this.windows = new WindowBudget(limits.windowBytes());
    }

    @Override
    public Reader open(String label, @Nullable ProgressMarker after, int partition, int partitions) {
        var filter = EventFilter.of(List.of(partition), partitions, List.of(), List.of());
        var request = new StreamRequest(label, after, filter, false, true, DocumentEncoding.BSON);
        return new LocalReader(backends, request, limits, windows, consumers);
    }
}
