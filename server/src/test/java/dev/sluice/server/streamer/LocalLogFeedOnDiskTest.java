package dev.sluice.server.streamer;

import dev.sluice.feed.EventFeed;
import dev.sluice.log.EventLog;
import dev.sluice.log.LogReader;
import dev.sluice.log.SegmentLimits;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.stream.ConsumersView;
import dev.sluice.testkit.contract.LogFeedContract;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

class LocalLogFeedOnDiskTest extends LogFeedContract {
    @TempDir
    Path path;

    private int opened;

    @Override
    protected EventLog open(SegmentLimits limits) {
        return new RocksEventLog(path, "log" + opened++, RocksSettings.DEFAULT.withSegments(limits));
    }

    @Override
    protected EventFeed feed(Map<String, LogReader> logs) {
        return new LocalLogFeed(logs, Duration.ofHours(1), new ConsumersView(0));
    }
}
