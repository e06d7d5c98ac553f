package dev.sluice.server.streamer;

import dev.sluice.log.LogReader;
import dev.sluice.route.EventFeed;
import dev.sluice.stream.StreamLimits;
import dev.sluice.testkit.contract.EventFeedContract;
import java.util.Map;

class LocalFeedTest extends EventFeedContract {
    @Override
    protected EventFeed feed(Map<String, LogReader> backends, StreamLimits limits) {
        return new LocalFeed(backends, limits);
    }
}
